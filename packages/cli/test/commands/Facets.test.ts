import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { builtInFacet, builtInFacets, Outcome } from "@muster/core"
import { SqliteStore } from "@muster/store-sqlite"
import { Effect, FileSystem } from "effect"
import { TestClock } from "effect/testing"
import { document, storeFolder, world } from "../CommandLine.ts"
import { enlist } from "../HandMadeHost.ts"

const resting = (sentence: string) =>
  Outcome.fired(builtInFacet("capacity"), {
    about: "host:1",
    sentence,
    followUp: "look_again",
    evidence: { free_slots: 3 },
    suggestion: null
  })

const suggesting = Outcome.fired(
  { ...builtInFacet("capacity"), key: "our-own", genre: "economy" },
  {
    about: "slots",
    sentence: "four slots are too few",
    followUp: "suggest",
    evidence: null,
    suggestion: "muster scale 8"
  }
)

/** Capacity has spoken two hours and a minute ago, a facet of a plugin an hour ago. */
const scene = Effect.gen(function* () {
  const { file, type } = yield* storeFolder
  yield* type(["submit", "-w", "work", `{"n":1}`])
  yield* Effect.gen(function* () {
    const host = yield* enlist
    yield* host.reflect(resting("host 1 rests"))
    yield* TestClock.adjust("1 hour")
    yield* host.reflect(suggesting)
    yield* TestClock.adjust("59 minutes")
    yield* host.reflect(resting("host 1 rests again"))
    yield* TestClock.adjust("1 minute")
  }).pipe(Effect.provide(SqliteStore.layer({ filename: file })))
  return { type }
})

layer(world)("facets", (it) => {
  it.effect("are listed without a store, each with its policy found", () =>
    Effect.gen(function* () {
      const { type } = yield* storeFolder
      const said = yield* type(["facets", "--json"])
      assert.strictEqual(said.exitCode, 0)
      const listed = said.out.map((line) => document("muster facets", line))
      assert.deepStrictEqual(
        listed.map((facet) => [facet["facet"], facet["status"], facet["fired"], facet["last"]]),
        builtInFacets.map(({ key, status }) => [key, status, 0, null])
      )
      for (const { policy } of listed) assert.propertyVal(policy, "resolution", "resolved")
    })
  )

  it.effect(
    "that a configuration declares are listed with it, and a policy that leads nowhere is named",
    () =>
      Effect.gen(function* () {
        const { folder, type } = yield* storeFolder
        const fs = yield* FileSystem.FileSystem
        const config = join(folder, "muster.config.json")
        const own = (key: string, path: string) => ({
          ...builtInFacet("capacity"),
          key,
          policy: { path, anchor: "slots" }
        })
        const declares = [own("ours", "rules/fleet.md"), own("lost", "gone.md")]
        yield* fs.writeFileString(config, JSON.stringify({ reflects: false, declares, documents: "docs" }))
        yield* fs.makeDirectory(join(folder, "docs", "rules"), { recursive: true })
        yield* fs.writeFileString(join(folder, "docs", "rules", "fleet.md"), "# Slots")
        const listed = (yield* type(["facets", "--json", "--config", config])).out.map((line) =>
          document("muster facets", line)
        )
        assert.deepStrictEqual(
          listed.map(({ declared, facet, policy }) => [facet, declared, policy]),
          [
            ["ours", true, { path: "rules/fleet.md", anchor: "slots", resolution: "resolved" }],
            ["lost", true, { path: "gone.md", anchor: "slots", resolution: "no_document" }]
          ]
        )
        const lines = (yield* type(["facets", "--config", config])).out.join("\n")
        assert.match(lines, /^lost +capacity +brisk +built +missing +0 +never$/m)
        assert.include(lines, "lost is not asked: its policy gone.md#slots leads nowhere (no_document)")
      })
  )

  it.effect("tell how often they have spoken and what they have said last, those of plugins too", () =>
    Effect.gen(function* () {
      const { type } = yield* scene
      const { out } = yield* type(["facets", "--json"])
      const listed = new Map(out.map((line) => [JSON.parse(line).facet, document("muster facets", line)]))
      assert.deepInclude(listed.get("capacity"), { declared: true, fired: 2 })
      assert.deepInclude(listed.get("capacity")?.["last"], {
        sentence: "host 1 rests again",
        actor: "host:1",
        follow_up: "look_again",
        evidence: { free_slots: 3 }
      })
      assert.deepInclude(listed.get("our-own"), { declared: false, fired: 1, status: null, policy: null })
      const lines = (yield* type(["facets"])).out.join("\n")
      assert.match(lines, /^capacity +capacity +brisk +built +found +2 +1m ago$/m)
      assert.match(lines, /^spend +economy +slow +interface_ready +found +0 +never$/m)
      assert.match(lines, /^our-own +of a plugin +1 +1h ago$/m)
      assert.match(lines, /^capacity: host 1 rests again$/m)
      assert.match(lines, /^our-own: four slots are too few \(muster scale 8\)$/m)
    })
  )

  it.effect("are in the status for a day, the newest word of each", () =>
    Effect.gen(function* () {
      const { type } = yield* scene
      const reflections = Effect.gen(function* () {
        return document("muster status", (yield* type(["status", "--json"])).out[0])["reflections"]
      })
      const now = yield* reflections
      assert.isArray(now)
      assert.deepStrictEqual(
        Array.isArray(now) ? now.map((one) => [one.facet, one.sentence, one.suggestion]) : now,
        [
          ["capacity", "host 1 rests again", null],
          ["our-own", "four slots are too few", "muster scale 8"]
        ]
      )
      const lines = (yield* type(["status"])).out.join("\n")
      assert.match(lines, /reflects +capacity 1m ago: host 1 rests again\n/)
      assert.match(lines, /reflects +our-own 1h ago: four slots are too few \(muster scale 8\)/)
      yield* TestClock.adjust("23 hours")
      yield* TestClock.adjust("1 minute")
      assert.propertyVal(yield* reflections, "length", 1)
      yield* TestClock.adjust("1 hour")
      assert.propertyVal(yield* reflections, "length", 0)
    })
  )

  it.effect("are readable among the events", () =>
    Effect.gen(function* () {
      const { type } = yield* scene
      assert.match((yield* type(["events"])).out.join("\n"), /host facet_fired +capacity: h/)
      const events = (yield* type(["events", "--json"])).out.map((line) => JSON.parse(line))
      assert.deepInclude(
        events.find(({ event }) => event === "facet_fired"),
        {
          subject_kind: "host",
          job_id: null,
          from_state: null,
          to_state: null,
          transition_reason: "capacity"
        }
      )
    })
  )
})
