// The loop moves by its table alone, though its moves are in no store.
import { assert, describe, it } from "@effect/vitest"
import { LoopMachine, type LoopMove } from "@muster/core"
import { LoopPosition } from "../../src/loop/LoopPosition.ts"

const positionIn = (state: LoopPosition["state"], moved: (event: LoopMove) => void): LoopPosition =>
  Object.assign(new LoopPosition(moved), { state })

describe("the loop's position", () => {
  it("takes every move of the table, for each of its reasons, and tells of it (R13)", () => {
    for (const { event, from, reasons, to } of LoopMachine.edges)
      for (const reason of reasons) {
        const told: Array<LoopMove> = []
        const position = positionIn(from, (move) => told.push(move))
        position.move(event, reason)
        assert.deepStrictEqual([position.state, position.reason, told], [to, reason, [event]])
      }
  })

  it("takes no other move, and none for another's reason, and stays where it is", () => {
    const events = new Set<LoopMove>(LoopMachine.edges.map(({ event }) => event))
    for (const state of LoopMachine.states)
      for (const event of events) {
        const legal = LoopMachine.edges.some((edge) => edge.from === state && edge.event === event)
        const position = positionIn(state, () => assert.fail("told of a move that was not made"))
        assert.throws(
          () => position.move(event, "boredom"),
          legal ? `${event} from ${state} for boredom` : `no move "${event}" from ${state}`
        )
        assert.strictEqual(position.state, state)
      }
  })
})
