// Codes, facets and invariants against what is there, both ways; what the gate makes of it.
import { assert, describe, it } from "@effect/vitest"
import {
  codeDrifts,
  declaredWords,
  defaultRows,
  type Drift,
  driftGate,
  driftLine,
  ErrorCatalogue,
  facetDrifts,
  invariantDrifts,
  ModelDrift,
  orchErrors,
  wordDrifts
} from "@muster/core"
import { Effect, Result } from "effect"

const lines = (drifts: ReadonlyArray<Drift>): ReadonlyArray<string> => drifts.map(driftLine)

const sides = Effect.map(
  ErrorCatalogue.compile([{ code: "EXT_*" }, { code: "LEGAL_HOLD" }]),
  (catalogue) => ({
    classes: Object.keys(orchErrors),
    rows: defaultRows.map(({ code }) => code),
    catalogue,
    raised: []
  })
)

describe("codes", () => {
  it.effect("the classes and the default rows don't drift", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(lines(codeDrifts(yield* sides, "fleet.db")), [])
    })
  )

  it.effect("a class without a row and a row without a class are told with both files", () =>
    Effect.gen(function* () {
      const given = yield* sides
      const classes = ["MEND_ME", ...given.classes.filter((code) => code !== "ORCH_STORE_BUSY")]
      assert.deepStrictEqual(lines(codeDrifts({ ...given, classes }, "fleet.db")), [
        "MODEL-DRIFT: code 'MEND_ME' has a class (packages/core/src/domain/errors/OrchError.ts) and no row of the catalogue (packages/core/src/domain/DefaultCatalogue.ts)",
        "MODEL-DRIFT: the catalogue has a row for code 'ORCH_STORE_BUSY' (packages/core/src/domain/DefaultCatalogue.ts), which no class raises (packages/core/src/domain/errors/OrchError.ts)"
      ])
    })
  )

  it.effect("a code that was raised and that only a row of last resort answers for is not declared", () =>
    Effect.gen(function* () {
      const raised = [
        { code: "EXT_ANYTHING", place: "events", count: 2 },
        { code: "ORCH_RETRYABLE_ANYTHING", place: "events", count: 2 },
        { code: "ORCH_FORMERLY", place: "jobs", count: 1 },
        { code: "TEAPOT", place: "events", count: 3 },
        { code: "TEAPOT", place: "letters", count: 1 }
      ]
      assert.deepStrictEqual(lines(codeDrifts({ ...(yield* sides), raised }, "fleet.db")), [
        "MODEL-DRIFT: code 'ORCH_FORMERLY' was raised in fleet.db (1 in jobs) and no row of the catalogue declares it (packages/core/src/domain/DefaultCatalogue.ts, or the codes of the host that raises it)",
        "MODEL-DRIFT: code 'TEAPOT' was raised in fleet.db (3 in events, 1 in letters) and no row of the catalogue declares it (packages/core/src/domain/DefaultCatalogue.ts, or the codes of the host that raises it)"
      ])
    })
  )
})

const places = { declared: "the model (Model.ts)", live: "the registry of host 3" }

describe("facets", () => {
  const policy = { path: "policy.md", anchor: "capacity" }
  const capacity = { key: "capacity", status: "built", genre: "capacity", policy }
  const spend = { key: "spend", status: "interface_ready", genre: "economy", policy }

  it("those that a registry has as they are declared don't drift, nor does one that is only ready", () => {
    assert.deepStrictEqual(facetDrifts([capacity, spend], [capacity], places), [])
  })

  it("are told where they are missing, not declared or different", () => {
    const built = { ...spend, status: "built" }
    const mood = { key: "mood", status: "built", genre: "weather", policy }
    assert.deepStrictEqual(lines(facetDrifts([capacity, spend], [built, mood], places)), [
      "MODEL-DRIFT: declared facet 'capacity' of the model (Model.ts) is built, and missing from the registry of host 3",
      "MODEL-DRIFT: declared facet 'spend' of the model (Model.ts) has status 'interface_ready', and 'built' in the registry of host 3",
      "MODEL-DRIFT: facet 'mood' of the registry of host 3 is not declared in the model (Model.ts)"
    ])
    const moved = { ...capacity, genre: "health", policy: { path: "policy.md", anchor: "slots" } }
    assert.deepStrictEqual(lines(facetDrifts([capacity], [moved], places)), [
      "MODEL-DRIFT: declared facet 'capacity' of the model (Model.ts) has genre 'capacity', and 'health' in the registry of host 3",
      "MODEL-DRIFT: declared facet 'capacity' of the model (Model.ts) has policy 'policy.md#capacity', and 'policy.md#slots' in the registry of host 3"
    ])
  })
})

describe("invariants", () => {
  const one = { id: "one-owner", tier: "exhaustive" }
  const two = { id: "ends", tier: "temporal" }
  const checks = [
    { invariant: "one-owner", tier: "exhaustive" },
    { invariant: "ends", tier: "temporal" }
  ]
  const at = { declared: "the model", live: "the checkers" }

  it("that have their check, and ran, don't drift", () => {
    assert.deepStrictEqual(invariantDrifts([one, two], checks, at), [])
    assert.deepStrictEqual(invariantDrifts([one, two], checks, at, checks), [])
  })

  it("are told where no check is, where it is another tier's, where it didn't run, and a check of nothing too", () => {
    const found = [
      { invariant: "ends", tier: "property" },
      { invariant: "sings", tier: "property" }
    ]
    assert.deepStrictEqual(lines(invariantDrifts([one, two], found, at)), [
      "MODEL-DRIFT: declared invariant 'one-owner' of the model, tier exhaustive, has no check in the checkers",
      "MODEL-DRIFT: declared invariant 'ends' of the model derives tier temporal, and is checked in property by the checkers",
      "MODEL-DRIFT: check 'sings' of the checkers is of no invariant declared in the model"
    ])
    assert.deepStrictEqual(lines(invariantDrifts([one, two], checks, at, checks.slice(0, 1))), [
      "MODEL-DRIFT: declared invariant 'ends' of the model, tier temporal, has a check in the checkers that did not run"
    ])
  })
})

describe("the gate", () => {
  const drifts = wordDrifts(declaredWords().slice(0, 1), [], "nothing")

  it("tells in an audit, fails where it blocks, and looks away where it is off", () => {
    assert.lengthOf(drifts, 1)
    assert.deepStrictEqual(driftGate("audit", "nothing", drifts), Result.succeed(drifts))
    assert.deepStrictEqual(driftGate("off", "nothing", drifts), Result.succeed([]))
    assert.deepStrictEqual(driftGate("block", "nothing", []), Result.succeed([]))
    const blocked = driftGate("block", "nothing", drifts)
    assert.isTrue(Result.isFailure(blocked))
    if (Result.isFailure(blocked)) {
      assert.instanceOf(blocked.failure, ModelDrift)
      assert.deepStrictEqual(blocked.failure.lines, lines(drifts))
      assert.notInclude(blocked.failure.message, "more")
    }
  })

  it("a store that says nothing of a list guards it by nothing", () => {
    assert.deepStrictEqual(lines(drifts), [
      "MODEL-DRIFT: the states of machine job (packages/core/src/domain/JobMachine.ts) are guarded by nothing where a constraint of nothing should name them: it is not there"
    ])
  })

  it("a list that core doesn't know is told", () => {
    const row = { source: "held", list: "robot.state", place: "table robot", word: "off", number: null }
    assert.include(
      lines(wordDrifts([], [row], "fleet.db")).join("\n"),
      "list 'robot.state' of fleet.db is not declared among the lists of words"
    )
  })
})
