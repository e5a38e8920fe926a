// The loop banks its snapshot when the freshness window has lapsed, and rests meanwhile (seed "Agent-orchestration model").
import { assert, describe, it } from "@effect/vitest"
import { defaults } from "@muster/core"
import { ScriptedRunner } from "@muster/core/testing"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { numbers, scriptedWorkflow } from "./Scripted.ts"
import * as World from "./World.ts"

const { succeed } = ScriptedRunner

describe("the bank", () => {
  it.effect(
    "is written when its window has lapsed, and not while it is fresh, whatever the loop does meanwhile",
    () =>
      Effect.gen(function* () {
        const { work } = scriptedWorkflow(({ n }) => [succeed(n)])
        const { fleet, store } = yield* World.withHost({ workflows: [work] })
        yield* TestClock.adjust("1 second")
        const bankedAt = Effect.map(fleet.snapshot, ({ loop }) => loop.bankedAt ?? Number.NaN)
        const first = yield* bankedAt
        for (const n of numbers(3)) yield* (yield* fleet.submit(work, n)).result
        yield* TestClock.adjust(defaults.bankMillis - 2_000)
        assert.strictEqual(yield* bankedAt, first)
        yield* TestClock.adjust("2 seconds")
        assert.isAtLeast(yield* bankedAt, first + defaults.bankMillis)
        const { host, loop } = yield* fleet.snapshot
        assert.strictEqual(loop.state, "rest")
        const [bank] = yield* store.records({ kind: "banks", job: null, after: 0, limit: 1 })
        const told = JSON.parse(bank?.row.bank ?? "null")
        assert.deepInclude(told, { host, used_slots: 0, owned: 0 })
        assert.deepInclude(told.jobs[0], { workflow_type: "work", state: "COMPLETED", count: 3 })
      })
  )
})
