// Disk and memory below their floors: nothing new begins, what runs lands.
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { ScriptedRunner } from "@muster/core/testing"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as NodeResources from "../../src/adapters/NodeResources.ts"
import { type Left, Resources } from "../../src/adapters/Resources.ts"
import { scarceOf } from "../../src/loop/Pressure.ts"
import { numbers, scriptedWorkflow } from "./Scripted.ts"
import * as World from "./World.ts"

const { succeed, waitFor } = ScriptedRunner
const plenty: Left = { disk: 1_000, memory: 1_000 }

describe("scarcity", () => {
  for (const kind of ["disk", "memory"] as const)
    it.effect(
      `of ${kind} lets what runs land and nothing new begin, until there is enough again (R13)`,
      () => {
        let left = plenty
        return Effect.gen(function* () {
          const { scripted, work } = scriptedWorkflow(({ n }) => [waitFor(String(n)), succeed(n)])
          const { fleet, log, store } = yield* World.withHost({
            workflows: [work],
            slots: 2,
            floors: { [kind]: 500 }
          })
          const jobs = yield* Effect.forEach(numbers(4), (n) => fleet.submit(work, n))
          yield* scripted.started(2)
          left = { ...plenty, [kind]: 499 }
          yield* TestClock.adjust("1 second")
          yield* scripted.release("1")
          assert.strictEqual(yield* jobs[0]?.result ?? Effect.never, 1)
          yield* TestClock.adjust("1 minute")
          assert.lengthOf(scripted.starts(), 2)
          assert.isTrue(log.some((line) => line.includes(`the ${kind} is below its floor of 500 bytes`)))
          const [bank] = yield* store.records({ kind: "banks", job: null, after: 0, limit: 1 })
          assert.deepInclude(JSON.parse(bank?.row.bank ?? ""), { scarce: kind })
          left = plenty
          yield* TestClock.adjust("1 second")
          yield* scripted.started(3)
          for (const n of numbers(4)) yield* scripted.release(String(n))
          for (const job of jobs) yield* job.result
        }).pipe(Effect.provideService(Resources, { look: () => Effect.sync(() => left) }))
      }
    )

  it.effect("is not looked for where no floor is set, and floors are whole numbers of bytes", () => {
    let looks = 0
    return Effect.gen(function* () {
      const { work } = scriptedWorkflow(({ n }) => [succeed(n)])
      const world = yield* World.make
      const { fleet } = yield* world.host({ workflows: [work] })
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* (yield* fleet.submit(work, 1)).result, 1)
      assert.strictEqual(looks, 0)
      const error = yield* Effect.flip(world.host({ workflows: [work], floors: { disk: -1 } }))
      assert.deepInclude(error, { _tag: "ORCH_CONFIG_INVALID", path: "floors.disk" })
    }).pipe(
      Effect.provideService(Resources, { look: () => Effect.sync(() => (looks++, { disk: 0, memory: 0 })) })
    )
  })

  it("hovers without a flutter, holds nothing back where nothing is known, and names the disk first", () => {
    const floors = { disk: 100, memory: 100 }
    assert.isNull(scarceOf({ disk: 100, memory: 100 }, floors, null))
    assert.strictEqual(scarceOf({ disk: 99, memory: 0 }, floors, null), "disk")
    assert.strictEqual(scarceOf({ disk: 109, memory: 100 }, floors, "disk"), "disk")
    assert.isNull(scarceOf({ disk: 111, memory: 100 }, floors, "disk"))
    assert.isNull(scarceOf({ disk: null, memory: null }, floors, null))
    assert.isNull(scarceOf({ disk: 0, memory: 0 }, { disk: 0, memory: 0 }, null))
  })

  it.effect("is measured on this machine: where the store is, and not for one in memory or nowhere", () =>
    Effect.gen(function* () {
      const { look } = yield* Resources
      const here = yield* look(join(tmpdir(), "fleet.db"))
      assert.isAbove(here.disk ?? 0, 0)
      assert.isAbove(here.memory ?? 0, 0)
      assert.isNull((yield* look(":memory:")).disk)
      assert.isNull((yield* look("/nowhere/at/all/fleet.db")).disk)
    }).pipe(Effect.provide(NodeResources.layer))
  )
})
