// What operators and callers say is kept, and cut where it is too long.
import { assert, describe, it } from "@effect/vitest"
import { limits } from "@muster/core"
import { ScriptedRunner } from "@muster/core/testing"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { eventsOf } from "./Chains.ts"
import { scriptedWorkflow } from "./Scripted.ts"
import * as World from "./World.ts"

const { fail, waitFor } = ScriptedRunner

/** The beginnings of two reasons that never end. */
const endless = (what: string): string => `${what} `.repeat(100_000)
const size = (text: string): number => new TextEncoder().encode(text).length

describe("a reason", () => {
  it.effect("is kept up to 1 KiB, whoever gives it and for whatever (R36)", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(({ n }) =>
        n === 1 ? [fail("DQ_BAD")] : [waitFor("never")]
      )
      const { fleet, store } = yield* World.withHost({ workflows: [work], slots: 1 })
      yield* fleet.submit(work, 1)
      const failed = yield* World.happened(fleet, ({ event }) => event === "dead_letter")
      const second = yield* fleet.submit(work, 2)
      yield* scripted.started(2)
      yield* fleet.pause({ reason: endless("pausing"), actor: "operator:ana" })
      yield* fleet.scale(2, { reason: endless("scaling") })
      yield* fleet.replay(failed.jobId ?? "", { reason: endless("replaying") })
      const cancelling = yield* Effect.forkChild(
        fleet.cancel(second.jobId, { reason: endless("cancelling") })
      )
      yield* TestClock.adjust("1 second")
      assert.isDefined(cancelling.pollUnsafe())

      const intents = yield* store.records({ kind: "intents", job: null, after: 0, limit: 9 })
      const kept = new Map(intents.map(({ row }) => [row.kind, row.reason]))
      for (const [kind, word] of [
        ["pause", "pausing"],
        ["scale", "scaling"],
        ["cancel", "cancelling"]
      ] as const) {
        assert.isTrue(kept.get(kind)?.startsWith(`${word} ${word} `))
        assert.isAtMost(size(kept.get(kind) ?? ""), limits.reasonBytes)
      }
      const told = (yield* eventsOf(store)).filter(({ detail }) => detail?.includes('"reason"') === true)
      assert.includeMembers(
        told.map(({ event }) => event),
        ["submit", "replayed", "cancel"]
      )
      for (const { detail } of told) assert.isAtMost(size(detail ?? ""), limits.reasonBytes + 100)
    })
  )
})
