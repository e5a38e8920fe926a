// Bringing results home: once, or not at all, or to an operator.
import { assert, describe, it } from "@effect/vitest"
import type { Lander, Landing, LandingOrder } from "@muster/core"
import { ScriptedRunner } from "@muster/core/testing"
import { type Duration, Effect } from "effect"
import { TestClock } from "effect/testing"
import { eventsOf, moves } from "./Chains.ts"
import { scriptedWorkflow } from "./Scripted.ts"
import * as World from "./World.ts"

const { succeed } = ScriptedRunner

type Outcome = Effect.Effect<Landing, unknown>
type Found = Effect.Effect<"landed" | "absent" | "unknown", unknown>

const landed: Outcome = Effect.succeed({ _tag: "Landed", reference: "commit 1" })
const conflict: Outcome = Effect.succeed({ _tag: "Conflict", detail: "the target moved" })

const at = <A>(list: ReadonlyArray<A>, index: number): A | undefined => list[Math.min(index, list.length - 1)]

/** A lander that answers one after the other, the last answer again and again. */
const landerOf = (outcomes: ReadonlyArray<() => Outcome>, found: ReadonlyArray<() => Found> = []) => {
  const orders: Array<LandingOrder> = []
  const checked: Array<LandingOrder> = []
  const lander: Lander = {
    name: "repository",
    land: (order) => {
      orders.push(order)
      return at(outcomes, orders.length - 1)?.() ?? landed
    },
    check: (order) => {
      checked.push(order)
      return at(found, checked.length - 1)?.() ?? Effect.die("nobody may ask")
    }
  }
  return { lander, orders, checked }
}

const run = Effect.fnUntraced(function* (
  lander: Lander,
  policies: Parameters<typeof scriptedWorkflow>[1] = {},
  time: Duration.Input = "1 minute"
) {
  const { scripted, work } = scriptedWorkflow(({ incarnation }) => [succeed(incarnation)], {
    lander,
    ...policies
  })
  const { fleet, store } = yield* World.withHost({ workflows: [work] })
  const { jobId } = yield* fleet.submit(work, 1)
  yield* TestClock.adjust(time)
  const stored = yield* fleet.await(jobId)
  const events = yield* eventsOf(store, stored.job)
  return { ...stored, events, scripted, agent: moves(events, "agent") }
})

describe("landing", () => {
  it.effect(
    "a result is landed once, under its incarnation as fencing token, and its reference is kept (R27)",
    () =>
      Effect.gen(function* () {
        const { checked, lander, orders } = landerOf([() => landed])
        const { agent, events, job, result } = yield* run(lander)
        assert.deepStrictEqual([job.state, result], ["COMPLETED", "1"])
        assert.deepStrictEqual([orders.length, checked.length], [1, 0])
        assert.deepInclude(orders[0], { result: "1", fencingToken: 1 })
        assert.deepStrictEqual(agent.slice(-2), ["land:commit_verified", "clean:clean"])
        assert.include(events.find(({ event }) => event === "land")?.detail ?? "", "commit 1")
      })
  )

  it.effect("a conflict is verified and landed once more on the new base, in the same attempt (R27)", () =>
    Effect.gen(function* () {
      let verified = 0
      const gate = {
        name: "counting",
        check: () =>
          Effect.sync(() => {
            verified++
            return { _tag: "Pass" } as const
          })
      }
      const { lander, orders } = landerOf([() => conflict, () => landed])
      const { job, scripted } = yield* run(lander, { gates: [gate] })
      assert.deepStrictEqual([job.state, job.retryCount], ["COMPLETED", 0])
      assert.strictEqual(orders.length, 2)
      assert.strictEqual(verified, 2)
      assert.strictEqual(scripted.starts().length, 1)
    })
  )

  it.effect("a second conflict burns the attempt: the next one starts from the base that moved", () =>
    Effect.gen(function* () {
      const { lander, orders } = landerOf([() => conflict, () => conflict, () => landed])
      const { agent, job, result, scripted } = yield* run(lander)
      assert.deepStrictEqual([job.state, job.retryCount, result], ["COMPLETED", 1, "2"])
      assert.strictEqual(job.lastErrorCode, "ORCH_RETRYABLE_LANDING_CONFLICT")
      assert.strictEqual(orders.length, 3)
      assert.strictEqual(scripted.starts().length, 2)
      assert.include(agent, "abandon:landing_rejected")
    })
  )

  it.effect(
    "a conflict whose verification on the new base fails is not landed, and its reasons are handed on",
    () =>
      Effect.gen(function* () {
        let asked = 0
        const gate = {
          name: "second thoughts",
          check: () =>
            Effect.sync(() =>
              ++asked === 2
                ? ({ _tag: "Reject", reasons: ["broken on the new base"] } as const)
                : ({ _tag: "Pass" } as const)
            )
        }
        const { lander, orders } = landerOf([() => conflict, () => landed])
        const { job, scripted } = yield* run(lander, { gates: [gate] })
        assert.deepStrictEqual([job.state, job.lastErrorCode], ["COMPLETED", "ORCH_GATE_REJECTED"])
        assert.strictEqual(orders.length, 2)
        assert.deepStrictEqual(scripted.starts()[1]?.feedback, ["broken on the new base"])
      })
  )

  const failures: ReadonlyArray<readonly [string, () => Outcome]> = [
    ["fails", () => Effect.fail("connection reset")],
    ["dies", () => Effect.die(new Error("connection reset"))],
    [
      "throws before it gives an effect",
      () => {
        throw new Error("connection reset")
      }
    ],
    ["interrupts itself", () => Effect.interrupt],
    ["answers nothing", () => Effect.succeed(undefined as never)] // what a plugin in plain JavaScript may do
  ]

  for (const [what, failure] of failures) {
    it.effect(`a landing that ${what} is settled by the lander's check: landed`, () =>
      Effect.gen(function* () {
        const { checked, lander, orders } = landerOf([failure], [() => Effect.succeed("landed")])
        const { job, scripted } = yield* run(lander)
        assert.strictEqual(job.state, "COMPLETED")
        assert.deepStrictEqual([orders.length, checked.length, scripted.starts().length], [1, 1, 1])
        assert.strictEqual(checked[0], orders[0])
      })
    )

    it.effect(
      `a landing that ${what} is settled by the lander's check: absent, so it is repeated with the same order`,
      () =>
        Effect.gen(function* () {
          const { checked, lander, orders } = landerOf(
            [failure, () => landed],
            [() => Effect.succeed("absent")]
          )
          const { job, scripted } = yield* run(lander)
          assert.strictEqual(job.state, "COMPLETED")
          assert.deepStrictEqual([orders.length, checked.length, scripted.starts().length], [2, 1, 1])
          assert.strictEqual(orders[0], orders[1])
        })
    )

    it.effect(
      `a landing that ${what} and of which nobody knows is asked after again and again, then quarantined, and never repeated`,
      () =>
        Effect.gen(function* () {
          const { checked, lander, orders } = landerOf([failure], [() => Effect.succeed("unknown")])
          const { events, job } = yield* run(lander, {}, "10 minutes")
          assert.deepStrictEqual([job.state, job.lastErrorCode], ["DEAD_LETTERED", "ORCH_LANDING_UNKNOWN"])
          assert.strictEqual(orders.length, 1)
          assert.isAbove(checked.length, 3)
          assert.include(events.find(({ event }) => event === "fail")?.detail ?? "", "repository")
        })
    )

    it.effect(`a landing that ${what} is home as soon as its lander knows that it is`, () =>
      Effect.gen(function* () {
        const found = ["unknown", "unknown", "landed"] as const
        const { lander, orders } = landerOf(
          [failure],
          found.map((one) => () => Effect.succeed(one))
        )
        const { job, result, scripted } = yield* run(lander)
        assert.deepStrictEqual([job.state, job.retryCount, result], ["COMPLETED", 0, "1"])
        assert.deepStrictEqual([orders.length, scripted.starts().length], [1, 1])
      })
    )
  }

  const checks: ReadonlyArray<readonly [string, () => Found]> = [
    ["fails", () => Effect.fail("no route")],
    ["dies", () => Effect.die("bug")],
    [
      "throws",
      () => {
        throw new Error("bug")
      }
    ],
    ["answers nonsense", () => Effect.succeed("maybe" as never)] // what a plugin in plain JavaScript may do
  ]
  for (const [what, check] of checks) {
    it.effect(`a check that ${what} knows nothing: quarantined, never taken for absent`, () =>
      Effect.gen(function* () {
        const { lander, orders } = landerOf([() => Effect.fail("connection reset")], [check])
        const { job } = yield* run(lander, {}, "10 minutes")
        assert.deepStrictEqual([job.state, job.lastErrorCode], ["DEAD_LETTERED", "ORCH_LANDING_UNKNOWN"])
        assert.strictEqual(orders.length, 1)
      })
    )
  }

  it.effect(
    "a landing that keeps failing and leaves nothing behind burns the attempt after a bounded number of tries",
    () =>
      Effect.gen(function* () {
        const { lander, orders } = landerOf(
          [() => Effect.fail("disk full")],
          [() => Effect.succeed("absent")]
        )
        const { agent, job, scripted } = yield* run(lander, { maxRetries: 1 })
        assert.strictEqual(job.state, "DEAD_LETTERED")
        assert.strictEqual(scripted.starts().length, 2)
        assert.strictEqual(orders.length, 6)
        assert.include(agent, "abandon:landing_rejected")
      })
  )
})
