import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { InvalidStateTransition } from "../src/domain/errors/LifecycleErrors.ts"
import * as Machine from "../src/domain/Machine.ts"

const Door = Machine.make({
  name: "door",
  initial: "open",
  states: ["open", "shut", "locked", "bricked"],
  final: ["bricked"],
  creation: { event: "build", reasons: ["built"] },
  edges: [
    { from: "open", event: "close", to: "shut", reasons: ["draught"] },
    { from: "shut", event: "open", to: "open", reasons: ["visitor"] },
    { from: "shut", event: "lock", to: "locked", reasons: ["night"] },
    { from: "shut", event: "brick_up", to: "bricked", reasons: ["sold"] },
    { from: "locked", event: "brick_up", to: "bricked", reasons: ["sold"] },
    { from: "shut", event: "wall_up", to: "bricked", reasons: ["sold"] }
  ]
})
type State = (typeof Door.states)[number]
const events = ["close", "open", "lock", "brick_up", "wall_up"] as const

describe("a machine", () => {
  it.prop(
    "moves along the table's edges alone, whatever is asked of it, and stays where an event is illegal",
    [Schema.Array(Schema.Literals(events)).check(Schema.isMaxLength(20))],
    ([asked]) => {
      let state: State = Door.initial
      for (const event of asked) {
        const before: State = state
        const found = Door.edges.find((edge) => edge.from === before && edge.event === event)
        const moved = Machine.step(Door, before, event)
        assert.deepStrictEqual(Machine.edge(Door, before, event), found)
        assert.strictEqual(Machine.legal(Door, before).includes(event), found !== undefined)
        state = Result.getOrElse(moved, () => before)
        assert.strictEqual(state, found?.to ?? before)
      }
    }
  )

  it("names machine, state, event and what would be legal when it refuses a move", () => {
    assert.deepStrictEqual(
      Machine.step(Door, "shut", "close"),
      Result.fail(
        new InvalidStateTransition({
          machine: "door",
          state: "shut",
          event: "close",
          legal: ["open", "lock", "brick_up", "wall_up"]
        })
      )
    )
    const refused = Result.merge(Machine.step(Door, "bricked", "open"))
    assert.instanceOf(refused, InvalidStateTransition)
    assert.strictEqual(refused._tag, "ORCH_INVALID_STATE_TRANSITION")
    assert.deepStrictEqual(refused.legal, [])
    assert.include(refused.message, "the state is final")
  })

  it("tells final states from those that something leaves", () => {
    assert.deepStrictEqual(
      Door.states.map((state) => Machine.isFinal(Door, state)),
      [false, false, false, true]
    )
  })

  it("knows what can be reached, and leaves out what can't", () => {
    assert.sameMembers([...Machine.reachable(Door)], [...Door.states])
    const walled = Machine.make({
      ...Door,
      edges: Door.edges.filter(({ event }) => event !== "lock" && event !== "wall_up")
    })
    assert.sameMembers([...Machine.reachable(walled)], ["open", "shut", "bricked"])
  })

  it("draws itself for mermaid: parallel moves on one arrow, a start and an end", () => {
    assert.strictEqual(
      Machine.mermaid(Door),
      `stateDiagram-v2
  [*] --> open
  open --> shut: close
  shut --> open: open
  shut --> locked: lock
  shut --> bricked: brick_up / wall_up
  locked --> bricked: brick_up
  bricked --> [*]
`
    )
  })
})
