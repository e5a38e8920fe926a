// What is read back of a unit that happened is what its commit has answered.
import { assert, describe, it } from "@effect/vitest"
import { decide, Draft, type Env, ErrorCatalogue, type NewJob, refill, Store, Workflow } from "@muster/core"
import { Context, Effect, Layer, Schema } from "effect"
import * as MemoryStore from "../../src/adapters/MemoryStore.ts"
import { readBack } from "../../src/loop/Uncertain.ts"

const policy = {
  ...Workflow.make("work", { payload: Schema.Json, result: Schema.Json, runner: "none" }).policy,
  workspace: false,
  gates: false,
  lander: false
}

const job = (key: string, fingerprint = "f", runAt = 0): NewJob => ({
  workflowType: "work",
  idempotencyKey: key,
  payloadFingerprint: fingerprint,
  payload: "1",
  priority: 0,
  runAt,
  maxRetries: 3,
  correlationId: null,
  traceContext: null,
  replayOf: null,
  actor: "caller:test"
})

/** Two hosts over one store. */
const scene = Effect.gen(function* () {
  const data = MemoryStore.makeDriver()
  const store = Context.get(yield* Layer.build(Store.layerFromDriver(Effect.succeed(data))), Store)
  const catalogue = yield* ErrorCatalogue.compile()
  const hosts = [yield* store.enlist("{}", 0), yield* store.enlist("{}", 0)]
  const env = (index: number, now: number): Env => {
    const { epoch, host } = hosts[index] ?? { host: 0, epoch: 0 }
    const workflows = new Map([["work", policy]])
    return { now, seed: 1, owner: { host, epoch }, actor: `host:${host}`, catalogue, workflows }
  }
  const commit = (index: number, at: number, draft: Draft.Draft, inserts: ReadonlyArray<NewJob> = []) =>
    Effect.gen(function* () {
      const { epoch, host } = hosts[index] ?? { host: 0, epoch: 0 }
      const { turn } = yield* store.renew({ host, epoch, at })
      const changes = [...draft.changes.values()]
      const fence = { host, epoch, turn: turn + 1 }
      const answered = yield* store.commit({ fence, at, inserts, changes })
      return { answered, readBack: yield* readBack(store, { at, inserts, changes }) }
    })
  return { store, env, commit }
})

describe("the answer of a unit, read back", () => {
  it.effect(
    "tells new jobs from duplicates and conflicts, within the unit too, and though they have moved on since",
    () =>
      Effect.gen(function* () {
        const { commit } = yield* scene
        yield* commit(0, 5, Draft.begin(new Map()), [job("old"), job("twin")])
        const again = [
          job("old"),
          job("old", "other"),
          job("new"),
          job("new"),
          job("new", "other"),
          job("late", "f", 99)
        ]
        const { answered, readBack: read } = yield* commit(0, 6, Draft.begin(new Map()), again)
        assert.deepStrictEqual(
          read.inserted.map(({ _tag, seq }) => [_tag, seq]),
          answered.inserted.map(({ _tag, seq }) => [_tag, seq])
        )
        assert.deepStrictEqual(
          read.inserted.map(({ _tag }) => _tag),
          ["Duplicate", "Conflict", "Inserted", "Duplicate", "Conflict", "Inserted"]
        )
        assert.strictEqual(read.sequence, answered.sequence)
      })
  )

  it.effect(
    "tells contested jobs that are won from those that another host has won, whatever became of them",
    () =>
      Effect.gen(function* () {
        const { commit, env, store } = yield* scene
        yield* commit(0, 5, Draft.begin(new Map()), [job("a"), job("b"), job("c")])
        const peeked = yield* store.ready(["work"], 9, 9)
        const draftOf = (index: number, keys: ReadonlyArray<string>): Draft.Draft => {
          const draft = Draft.begin(new Map())
          for (const one of peeked.jobs)
            if (keys.includes(one.job.idempotencyKey)) refill(draft, env(index, 9), one.job, "1")
          return draft
        }
        // At the same instant, from the same peek: the rows differ by their owners alone.
        const first = draftOf(0, ["a", "b", "c"])
        const second = draftOf(1, ["a", "b"])
        const other = yield* commit(1, 9, second)
        assert.strictEqual(other.answered.lost.size, 0)
        const ended = Draft.begin(second.owned)
        decide(ended, { _tag: "Worked", seq: 1, incarnation: 1, result: "1" }, env(1, 10))
        yield* commit(1, 10, ended)
        const { answered, readBack: read } = yield* commit(0, 9, first)
        assert.deepStrictEqual(
          [...answered.lost].toSorted((a, b) => a - b),
          [1, 2]
        )
        assert.deepStrictEqual(
          [...read.lost].toSorted((a, b) => a - b),
          [1, 2]
        )
      })
  )
})
