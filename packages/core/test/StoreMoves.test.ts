// Law 2 at the door of every store: a unit that moves a state outside the tables never reaches a driver.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { EventDraft } from "../src/domain/LifecycleEvent.ts"
import type { Change } from "../src/domain/turn/Draft.ts"
import { fromDriver } from "../src/ports/Store.ts"
import type { CommitRows, StoreDriver } from "../src/ports/StoreDriver.ts"
import { unlawful } from "../src/ports/StoreMoves.ts"
import type { NewJob } from "../src/ports/StoreUnit.ts"
import { changed, pending, turn, working } from "./turn/Scene.ts"

const who = { seq: 1, incarnation: 1 }

const withEvent = (change: Change, at: number, patch: Partial<EventDraft>): Change => ({
  ...change,
  events: change.events.map((event, index) => (index === at ? { ...event, ...patch } : event))
})

const refusal = (change: Change): string | null => unlawful({ fence: null, at: 0, changes: [change] })

/** A driver that takes every unit and knows nothing; each of its operations stands here, or it is none. */
const stub = (commit: (unit: CommitRows) => void): StoreDriver => {
  const never = Effect.die("nobody asks for it here")
  const unused = () => never
  return {
    open: Effect.succeed({ id: "s", name: "nowhere" }),
    enlist: unused,
    renew: unused,
    fence: unused,
    commit: (unit) =>
      Effect.sync(() => {
        commit(unit)
        return { inserted: [], lost: [], intents: [], sequence: 0 }
      }),
    jobs: unused,
    agents: unused,
    events: unused,
    records: unused,
    tally: unused,
    changed: never,
    prune: unused
  }
}

const creation: NewJob = {
  workflowType: "plain",
  idempotencyKey: "key",
  payloadFingerprint: "aa",
  payload: "1",
  priority: 0,
  runAt: 0,
  maxRetries: 0,
  correlationId: null,
  traceContext: null,
  replayOf: null,
  actor: "caller:test"
}

describe("a unit of the store (law 2)", () => {
  it("is taken where every move is the table's, for a reason of its edge, and ends where the row stands", () => {
    for (const change of [
      changed(turn([], [], { peek: [pending()] })),
      changed(turn([working()], [{ _tag: "Worked", ...who, result: "1" }])),
      changed(turn([], [], { peek: [pending("plain")], payload: '"misfit"' }))
    ])
      assert.isNull(refusal(change))
    assert.isNull(unlawful({ fence: null, at: 0, inserts: [creation] }))
  })

  it("is refused for a reason that its edge doesn't have, though the edge is there", () => {
    const change = changed(turn([], [], { peek: [pending()] }))
    change.events.forEach((event, index) => {
      assert.match(
        refusal(withEvent(change, index, { transitionReason: "because" })) ?? "taken",
        new RegExp(
          `^the ${event.subjectKind}'s move ${event.event} .* for the reason "because" is in no table$`
        )
      )
    })
    // A reason of another edge of the same table is no better.
    assert.include(refusal(withEvent(change, 0, { transitionReason: "payload_valid" })) ?? "", "in no table")
  })

  it("is refused for an edge that the table doesn't have, a job that nobody inserts, and a host that moves", () => {
    const change = changed(turn([working()], [{ _tag: "Worked", ...who, result: "1" }]))
    for (const patch of [
      { fromState: "COMPLETED", toState: "PROCESSING" },
      { event: "retry" },
      { event: "submit", fromState: null, toState: "PENDING", transitionReason: "submitted" },
      { subjectKind: "host" as const }
    ])
      assert.include(refusal(withEvent(change, 1, patch)) ?? "", "in no table", JSON.stringify(patch))
  })

  it("is refused where a row is written in another state than its moves have reached", () => {
    const change = changed(turn([working()], [{ _tag: "Worked", ...who, result: "1" }]))
    assert.strictEqual(
      refusal({ ...change, job: { ...change.job, state: "PROCESSING" } }),
      "job 1 is written as PROCESSING, told as COMPLETED"
    )
    assert.strictEqual(
      refusal({ ...change, job: { ...change.job, agent: null } }),
      "the agent of job 1 is written as none, told as tombstoned"
    )
  })

  it("is refused where a move begins elsewhere than the one before has ended", () => {
    const change = changed(turn([working()], [{ _tag: "Worked", ...who, result: "1" }]))
    const [first, ...others] = change.events
    assert.isDefined(first)
    assert.include(refusal({ ...change, events: [first, first, ...others] }) ?? "", "didn't end")
  })

  it("is refused where a move comes as a note, without its row", () => {
    const [event] = changed(turn([], [], { peek: [pending()] })).events
    assert.isDefined(event)
    assert.include(unlawful({ fence: null, at: 0, notes: [{ ...event, seq: 1 }] }) ?? "", "without its row")
    assert.include(
      unlawful({ fence: null, at: 0, inserts: [{ ...creation, notes: [event] }] }) ?? "",
      "without its row"
    )
  })

  it.effect("never reaches the driver, which may know no table, and is answered as refused", () =>
    Effect.gen(function* () {
      const asked: Array<CommitRows> = []
      const driver = stub((unit) => asked.push(unit))
      const store = yield* fromDriver(driver)
      const change = changed(turn([], [], { peek: [pending()] }))
      const unlawfulUnit = {
        fence: null,
        at: 0,
        changes: [withEvent(change, 0, { transitionReason: "because" })].values()
      }
      const error = yield* Effect.flip(store.commit(unlawfulUnit))
      assert.deepInclude(error, { _tag: "ORCH_STORE_BROKEN", operation: "commit", refused: true })
      assert.lengthOf(asked, 0)
      // A list that can be read only once is written all the same.
      yield* store.commit({ fence: null, at: 0, changes: [change].values() })
      const [unit] = asked
      assert.nestedPropertyVal(unit, "changes.length", 1)
    })
  )
})

describe("a driver of a store", () => {
  it("has twelve operations at most (R16)", () => {
    assert.isAtMost(Object.keys(stub(() => {})).length, 12)
  })
})
