// A host that starts on a store whose words are not those that it was built for.
import { assert, describe, it } from "@effect/vitest"
import { type Facet, Plugin, type VocabularyRow } from "@muster/core"
import type { FaultyStore } from "@muster/core/testing"
import { Effect } from "effect"
import { scriptedWorkflow } from "./Scripted.ts"
import * as World from "./World.ts"

const { work } = scriptedWorkflow(() => [])
const workflows = [work]

/** The memory store has no list of its own; this one has, of the agent's states, and lacks a state. */
const olderStore = (faults: FaultyStore.FaultyStore) =>
  faults.mislead((row): VocabularyRow | null =>
    row.list === "agent.disposition"
      ? { source: "held", list: "agent.state", place: "an older table", word: "zombie", number: null }
      : row
  )

const line =
  "MODEL-DRIFT: state 'zombie' was written to an older table, in memory and is not declared in machine agent (packages/core/src/domain/AgentMachine.ts)"
const unguarded =
  "MODEL-DRIFT: the dispositions of an agent's row (packages/core/src/domain/AgentMachine.ts) are guarded by nothing where a constraint of memory should name them: it is not there"

describe("a drift at a host's start", () => {
  it.effect("is a warning for each line unless the host says otherwise, and the host works", () =>
    Effect.gen(function* () {
      const world = yield* World.make
      const { fleet } = yield* world.host({ workflows }, olderStore)
      assert.deepStrictEqual(
        world.log.filter((said) => said.startsWith("MODEL-DRIFT")),
        [line, unguarded]
      )
      assert.strictEqual((yield* fleet.snapshot).mode, "running")
    })
  )

  it.effect("blocks the start where the host wants that: no host was enlisted", () =>
    Effect.gen(function* () {
      const world = yield* World.make
      const error = yield* Effect.flip(world.host({ workflows, drift: "block" }, olderStore))
      assert.strictEqual(error._tag, "ORCH_MODEL_DRIFT")
      if (error._tag === "ORCH_MODEL_DRIFT") assert.deepStrictEqual(error.lines, [line, unguarded])
      assert.include(error.message, "And 1 more: muster model drift names all.")
      assert.deepStrictEqual(yield* world.store.records({ kind: "hosts", job: null, after: 0, limit: 9 }), [])
    })
  )

  it.effect("is not looked for where the host doesn't want that, and one look is one query", () =>
    Effect.gen(function* () {
      const world = yield* World.make
      yield* world.host({ workflows, drift: "off" }, olderStore)
      assert.deepStrictEqual(world.log, [])
      const looking = yield* world.host({ workflows })
      const blind = yield* world.host({ workflows, drift: "off" })
      assert.strictEqual(looking.faults.calls("records"), blind.faults.calls("records") + 1)
    })
  )

  it.effect(
    "a facet that a plugin brings and nobody declares has drifted; a host that declares it starts",
    () =>
      Effect.gen(function* () {
        const world = yield* World.make
        const mood: Facet = {
          key: "mood",
          holds: "Everybody is well.",
          genre: "capacity",
          tempo: "slow",
          status: "built",
          policy: { path: "docs/mood.md", anchor: "" },
          followUps: ["note"],
          reflect: () => Effect.succeed(null)
        }
        const plugins = [
          Plugin.make({ name: "moody", version: "1.0.0", make: Effect.succeed({ facets: [mood] }) })
        ]
        const options = { workflows, plugins, drift: "block" as const }
        const error = yield* Effect.flip(world.host(options))
        assert.strictEqual(error._tag, "ORCH_MODEL_DRIFT")
        if (error._tag === "ORCH_MODEL_DRIFT")
          assert.deepStrictEqual(error.lines, [
            "MODEL-DRIFT: facet 'mood' of the plugin host is not declared in the model (packages/core/src/domain/reflection/BuiltInFacets.ts, or `declares` of the host)"
          ])
        const { fleet } = yield* world.host({ ...options, declares: [mood] })
        assert.strictEqual((yield* fleet.snapshot).mode, "running")
        const missing = yield* Effect.flip(world.host({ workflows, declares: [mood], drift: "block" }))
        assert.include(missing.message, "declared facet 'mood'")
      })
  )

  it.effect("says nothing of a store that is as it should be, whatever the host wants", () =>
    Effect.gen(function* () {
      const world = yield* World.make
      const { fleet } = yield* world.host({ workflows, drift: "block" })
      assert.strictEqual((yield* fleet.snapshot).mode, "running")
      assert.deepStrictEqual(world.log, [])
    })
  )
})
