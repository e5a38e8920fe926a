// A host made by hand: it takes jobs and ends them when a test says so, by the very decisions of core.
import {
  type BreakerRow,
  decide,
  Draft,
  type Env,
  ErrorCatalogue,
  Failure,
  Intent,
  type Outcome,
  refill,
  type Signal,
  Store,
  type WorkflowPolicy,
  Workflow
} from "@muster/core"
import { Operations } from "@muster/fleet"
import { Clock, Effect, Schema } from "effect"

const policy = (name: string): WorkflowPolicy => ({
  ...Workflow.make(name, { payload: Schema.Json, result: Schema.Json, runner: "none" }).policy,
  workspace: false,
  gates: false,
  // a workflow of this name brings its results home by a lander, which answers when a test says so
  lander: name === "landing"
})

/** Enlists with the store at hand. */
export const enlist = Effect.gen(function* () {
  const store = yield* Store
  const row = yield* store.enlist(`{"pid":1}`, yield* Clock.currentTimeMillis)
  const catalogue = yield* ErrorCatalogue.compile()
  let turn = row.turn

  const turnOf = Effect.fnUntraced(function* (fill: (draft: Draft.Draft, env: Env) => void) {
    const now = yield* Clock.currentTimeMillis
    const owned = yield* store.agents({ by: "owner", host: row.host, epoch: row.epoch })
    const draft = Draft.begin(new Map(owned.map((job) => [job.seq, job])))
    const tally = yield* store.tally(now)
    const names = new Set(tally.jobs.map(({ workflow_type }) => workflow_type))
    fill(draft, {
      now,
      seed: 1,
      owner: { host: row.host, epoch: row.epoch },
      actor: `host:${row.host}`,
      catalogue,
      workflows: new Map(Array.from(names, (name) => [name, policy(name)]))
    })
    turn += 1
    yield* store.commit({
      fence: { host: row.host, epoch: row.epoch, turn },
      at: now,
      changes: draft.changes.values(),
      settled: draft.settled
    })
  })

  const signal = (one: Signal) => turnOf((draft, env) => decide(draft, one, env))
  const jobOf = (seq: number) => Effect.map(store.job(String(seq)), ({ job }) => job)
  const incarnationOf = (seq: number) => Effect.map(jobOf(seq), ({ agent }) => agent?.incarnation ?? 0)

  return {
    row,
    /** Takes the job, which must be due. */
    take: Effect.fnUntraced(function* (seq: number) {
      const { job, payload } = yield* store.job(String(seq))
      yield* turnOf((draft, env) => refill(draft, env, job, payload ?? "null"))
    }),
    land: Effect.fnUntraced(function* (seq: number, result: unknown) {
      const incarnation = yield* incarnationOf(seq)
      yield* signal({ _tag: "Worked", seq, incarnation, result: JSON.stringify(result) })
    }),
    fail: Effect.fnUntraced(function* (seq: number, code: string, message: string, fields: object = {}) {
      const incarnation = yield* incarnationOf(seq)
      yield* signal({
        _tag: "WorkFailed",
        seq,
        incarnation,
        failure: Failure.fromError({ ...fields, _tag: code, message })
      })
    }),
    /** Its agent begins a step, and can be killed in the middle of it. */
    beginStep: Effect.fnUntraced(function* (seq: number, name: string) {
      const incarnation = yield* incarnationOf(seq)
      yield* signal({ _tag: "MarkerStarted", seq, incarnation, id: 1, name, doubtful: false })
    }),
    /** Carries out the cancels that wait for this host, and ends their agents. */
    carryOutCancels: Effect.gen(function* () {
      const open = yield* store.records({ kind: "intents", job: null, after: 0, limit: 100, open: true })
      for (const { row: wish } of open) {
        if (wish.job === null) continue
        const job = yield* jobOf(wish.job)
        yield* signal({
          _tag: "CancelWanted",
          job,
          reason: "operator",
          actor: wish.actor,
          intent: wish.intent,
          text: wish.reason
        })
        yield* signal({ _tag: "Ended", seq: job.seq, incarnation: job.agent?.incarnation ?? 0 })
      }
      return open.length
    }),
    /** Settles what operators want of it, as a host that runs nothing. */
    endWishes: Effect.gen(function* () {
      const open = yield* Operations.openIntents(store)
      const seen = { live: new Set([row.host]), busy: new Set<number>() }
      yield* signal({ _tag: "IntentsEnded", settled: [], whenIdle: Intent.settlements(open, seen) })
    }),
    /** Writes what a facet has said. */
    reflect: Effect.fnUntraced(function* (reflected: Outcome.Reflected) {
      turn += 1
      const at = yield* Clock.currentTimeMillis
      const owner = { host: row.host, epoch: row.epoch }
      const draft = Draft.begin(new Map())
      const env: Env = { now: at, seed: 1, owner, actor: `host:${row.host}`, catalogue, workflows: new Map() }
      decide(draft, { _tag: "Reflected", reflected }, env)
      yield* store.commit({ fence: { ...owner, turn }, at, notes: draft.notes })
    }),
    /** Banks a snapshot. */
    bank: Effect.fnUntraced(function* (content: object) {
      turn += 1
      const fence = { host: row.host, epoch: row.epoch, turn }
      yield* store.commit({ fence, at: yield* Clock.currentTimeMillis, bank: JSON.stringify(content) })
    }),
    /** Writes what it says of a workflow's storm breaker. */
    tellBreaker: Effect.fnUntraced(function* (breaker: BreakerRow) {
      turn += 1
      const fence = { host: row.host, epoch: row.epoch, turn }
      yield* store.commit({ fence, at: breaker.at, breakers: [breaker] })
    }),
    renew: Effect.flatMap(Clock.currentTimeMillis, (at) =>
      store.renew({ host: row.host, epoch: row.epoch, at })
    ),
    stop: Effect.flatMap(Clock.currentTimeMillis, (at) =>
      store.fence({ host: row.host, epoch: row.epoch, beat: null, as: "stopped", at })
    )
  }
})
