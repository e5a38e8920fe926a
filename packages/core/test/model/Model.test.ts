import { existsSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { AgentMachine, phases } from "../../src/domain/AgentMachine.ts"
import type { ConfigInvalid } from "../../src/domain/errors/ConfigErrors.ts"
import { JobMachine } from "../../src/domain/JobMachine.ts"
import { LoopMachine } from "../../src/domain/LoopMachine.ts"
import * as Machine from "../../src/domain/Machine.ts"
import { builtInFacets } from "../../src/domain/reflection/BuiltInFacets.ts"
import { fleetModel } from "../../src/model/FleetModel.ts"
import * as Invariant from "../../src/model/Invariant.ts"
import * as Model from "../../src/model/Model.ts"
import { diagrams, flowchart } from "../../src/model/ModelDiagram.ts"
import { document } from "../../src/model/ModelDocument.ts"
import { markdown } from "../../src/model/ModelText.ts"
import { carriers } from "../../src/model/Seam.ts"
import { always, leadsTo } from "../../src/model/Temporal.ts"

const root = join(import.meta.dirname, "../../../..")

describe("the model of the fleet", () => {
  it("has the very tables that move the fleet", () => {
    assert.deepStrictEqual(fleetModel.machines.length, 3)
    for (const [index, table] of [JobMachine, AgentMachine, LoopMachine].entries())
      assert.strictEqual(fleetModel.machines[index], table)
  })

  it("says what each state means, and which phases a life goes through in it", () => {
    const tables: ReadonlyArray<Machine.Machine> = [JobMachine, AgentMachine, LoopMachine]
    for (const table of tables) {
      for (const [state, meaning] of Object.entries(Machine.meaningsOf(table)))
        assert.isNotEmpty(meaning, state)
      for (const { name, states } of table.phases ?? [])
        assert.isEmpty(
          states.filter((state) => !table.states.includes(state)),
          name
        )
    }
    assert.deepStrictEqual(
      AgentMachine.phases?.map(({ name }) => name),
      [...phases]
    )
  })

  it("uses every carrier of the closed set, and no other", () => {
    const used = new Set(fleetModel.seams.map(({ carrier }) => carrier))
    assert.deepStrictEqual([...used].toSorted(), Object.keys(carriers).toSorted())
  })

  it("names for each seam a file that is there", () => {
    for (const { carriedBy, id } of fleetModel.seams)
      assert.isTrue(existsSync(join(root, carriedBy)), `${id}: ${carriedBy}`)
  })

  it("has no lane that neither meets another nor can break an invariant", () => {
    const acting = new Set([
      ...fleetModel.seams.flatMap(({ from, to }) => [from, to]),
      ...fleetModel.invariants.flatMap(({ lanes }) => lanes)
    ])
    for (const { id } of fleetModel.lanes) assert.isTrue(acting.has(id), id)
  })

  it("has the facets as nodes", () => {
    assert.strictEqual(fleetModel.facets, builtInFacets)
  })

  it("says each invariant in a sentence, under a plain id, and where it comes from", () => {
    for (const { id, sentence, source } of fleetModel.invariants) {
      assert.match(id, /^[a-z]+(-[a-z]+)*$/)
      assert.match(sentence, /^[A-Z].*\.$/)
      assert.isNotEmpty(source)
    }
  })
})

const door = Machine.make({
  name: "door",
  initial: "shut",
  states: ["shut", "open"],
  final: [],
  creation: { event: "build", reasons: ["wanted"] },
  edges: [
    { from: "shut", event: "open", to: "open", reasons: ["knocked"] },
    { from: "open", event: "close", to: "shut", reasons: ["left"] }
  ]
})

interface House {
  readonly open: boolean
  readonly guests: number
}

const closes = Invariant.make({
  id: "door-closes",
  sentence: "A door that is open is shut again.",
  lanes: ["guest", "host"],
  primitive: "timer",
  temporal: leadsTo(
    ({ open }: House) => open,
    ({ open }) => !open
  ),
  source: "manners"
})
const counted = Invariant.make({
  id: "guests-are-counted",
  sentence: "There are never fewer than no guests.",
  lanes: ["host"],
  primitive: "none",
  temporal: always(({ guests }: House) => (guests < 0 ? `there are ${guests} guests` : null)),
  source: "arithmetic"
})
const lanes = [
  { id: "guest", sentence: "comes and goes" },
  { id: "host", sentence: "opens" }
] as const
const bell = {
  id: "bell",
  carrier: "event_bus",
  from: "guest",
  to: "host",
  message: "somebody is there",
  synchronous: false,
  carriedBy: "src/Bell.ts"
} as const
const house = { name: "house", lanes, seams: [bell], machines: [door], invariants: [closes, counted] }

/** What `make` says against it: where, and what. */
const problem = (made: Result.Result<unknown, ConfigInvalid>): string | null =>
  Result.isFailure(made) ? `${made.failure.path}: ${made.failure.detail}` : null

describe("the builder of models", () => {
  it("builds a host's own model, over the host's own states, with the tiers derived", () => {
    const model = Model.makeUnsafe(house)
    assert.deepStrictEqual(
      model.invariants.map(({ id, tier }) => [id, tier]),
      [
        ["door-closes", "temporal"],
        ["guests-are-counted", "property"]
      ]
    )
    assert.deepStrictEqual(
      Model.ofTier(model, "temporal").map(({ id }) => id),
      ["door-closes"]
    )
    assert.deepStrictEqual(Model.ofTier(model, "exhaustive"), [])
  })

  it("takes a closed set of carriers of the host's own", () => {
    const model = Model.make({ ...house, carriers: ["wire"], seams: [{ ...bell, carrier: "wire" }] })
    assert.isNull(problem(model))
    assert.strictEqual(
      problem(Model.make({ ...house, carriers: ["wire"] })),
      'seams["bell"].carrier: there is no carrier "event_bus" in the closed set wire'
    )
  })

  it("refuses a lane that nobody declared, for the compiler and by name", () => {
    assert.strictEqual(
      // @ts-expect-error there is no such lane
      problem(Model.make({ ...house, seams: [{ ...bell, to: "butler" }] })),
      'seams["bell"].to: there is no lane "butler" among guest, host'
    )
    const stranger = Invariant.make({
      ...counted,
      lanes: ["butler"],
      temporal: always(({ open }: House) => (open ? "it is open" : null))
    })
    assert.strictEqual(
      // @ts-expect-error there is no such lane
      problem(Model.make({ ...house, invariants: [stranger] })),
      'invariants["guests-are-counted"].lanes: there is no lane "butler" among guest, host'
    )
  })

  it("refuses invariants over different states, for the compiler", () => {
    const other = Invariant.make({
      ...counted,
      id: "other",
      lanes: ["host"],
      temporal: always(({ cats }: { readonly cats: number }) => (cats > 9 ? "too many cats" : null))
    })
    // @ts-expect-error a house has no cats
    assert.isTrue(Result.isSuccess(Model.make<House, "guest" | "host">({ ...house, invariants: [other] })))
  })

  it("refuses what is declared twice, whatever it is", () => {
    const twice = (patch: object) => problem(Model.make({ ...house, ...patch }))
    assert.strictEqual(twice({ lanes: [...lanes, lanes[0]] }), 'lanes["guest"]: it is declared twice')
    assert.strictEqual(twice({ seams: [bell, bell] }), 'seams["bell"]: it is declared twice')
    assert.strictEqual(twice({ machines: [door, door] }), 'machines["door"]: it is declared twice')
    assert.strictEqual(
      twice({ invariants: [closes, counted, closes] }),
      'invariants["door-closes"]: it is declared twice'
    )
    assert.strictEqual(
      twice({ facets: [builtInFacets[0], builtInFacets[0]] }),
      'facets["recurring-failure"]: it is declared twice'
    )
  })

  it("refuses a lane that an invariant names twice: it would be hairy with itself", () => {
    const alone = Invariant.make({ ...closes, lanes: ["host", "host"], temporal: closes.temporal })
    assert.strictEqual(
      problem(Model.make({ ...house, invariants: [alone] })),
      'invariants["door-closes"].lanes["host"]: it is declared twice'
    )
  })

  it("throws what is wrong with a model that is written down in code", () => {
    assert.throws(() => Model.makeUnsafe({ ...house, seams: [bell, bell] }), /not valid at seams\["bell"\]/)
  })
})

describe("the renderings of a model", () => {
  it("are a document that says all that is declared, and is JSON", () => {
    const told = document(fleetModel)
    assert.deepStrictEqual(JSON.parse(JSON.stringify(told)), told)
    assert.deepStrictEqual(
      told.invariants.map(({ id }) => id),
      fleetModel.invariants.map(({ id }) => id)
    )
    assert.deepInclude(document(Model.makeUnsafe(house)).seams[0], {
      from: "guest",
      carried_by: "src/Bell.ts"
    })
    assert.deepInclude(document(Model.makeUnsafe(house)).invariants[0], { form: "P ~> Q", tier: "temporal" })
  })

  it("are diagrams: an arrow for each meeting, whole where the sender waits", () => {
    const lines = flowchart(Model.makeUnsafe({ ...house, seams: [bell, { ...bell, id: "knock" }] })).split(
      "\n"
    )
    assert.deepStrictEqual(lines, [
      "flowchart LR",
      '  guest["guest"]',
      '  host["host"]',
      '  guest -.->|"bell, knock (event bus)"| host',
      ""
    ])
    assert.include(
      flowchart(Model.makeUnsafe({ ...house, seams: [{ ...bell, synchronous: true }] })),
      "guest -->|"
    )
    assert.deepStrictEqual(
      diagrams(fleetModel).map(({ title }) => title),
      ["muster", "job", "agent", "loop"]
    )
    assert.strictEqual(diagrams(fleetModel)[1]?.mermaid, Machine.mermaid(JobMachine))
  })

  it("are a page: each lane, seam, facet and invariant in a table", () => {
    const page = markdown(fleetModel)
    for (const { id } of [...fleetModel.lanes, ...fleetModel.seams, ...fleetModel.invariants])
      assert.include(page, `| ${id} |`)
    for (const { key } of fleetModel.facets) assert.include(page, `| ${key} |`)
    assert.notInclude(markdown(Model.makeUnsafe(house)), "## Facets")
  })
})
