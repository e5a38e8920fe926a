import { assert, describe, it } from "@effect/vitest"
import { type Obligation, temporal } from "../../src/model/checkers/temporal.ts"
import type { System } from "../../src/model/explore/System.ts"
import * as Invariant from "../../src/model/Invariant.ts"
import { infinitelyOften, leadsTo } from "../../src/model/Temporal.ts"

/** A machine as a table: what leads from each state where. */
const machine = (table: {
  readonly [state: number]: ReadonlyArray<readonly [string, number]>
}): System<number, string> => ({
  initial: 0,
  successors: (state) => table[state] ?? [],
  key: String
})

/** Steps in capitals have to be taken; those that begin with "end" may not go on for ever. */
const obligation = (_: number, label: string): Obligation =>
  label.startsWith("end")
    ? { _tag: "Ends" }
    : label === label.toUpperCase()
      ? { _tag: "Fair", class: label }
      : { _tag: "Whim" }

const lanes = ["one", "two"] as const
const common = { lanes, primitive: "timer", source: "a test" } as const
const arrives = Invariant.make({
  ...common,
  id: "arrives",
  sentence: "0 leads to 9",
  temporal: leadsTo(
    (state: number) => state === 0,
    (state) => state === 9
  )
})
const returns = Invariant.make({
  ...common,
  id: "returns",
  sentence: "0 comes again and again",
  temporal: infinitelyOften((state: number) => state === 0)
})

const check = (table: Parameters<typeof machine>[0], invariant: typeof arrives = arrives, states = 100) => {
  const [verdict] = temporal([invariant], machine(table), {
    limits: { states },
    look: (state) => state,
    obligation,
    tell: (before, label, after) => ({ act: `${before} ${label} ${after}`, seen: [] })
  }).verdicts
  return [verdict?.verdict, verdict?.trace?.steps.map(({ act }) => act), verdict?.trace?.cycleFrom]
}

describe("the check of liveness", () => {
  it("holds where everybody who has to act brings it about", () => {
    assert.deepStrictEqual(check({ 0: [["GO", 1]], 1: [["GO", 9]] })[0], "holds")
  })

  it("finds a state that stands still, and says so", () => {
    assert.deepStrictEqual(check({ 0: [["GO", 1]], 1: [["maybe", 9]] }), [
      "broken",
      ["0 GO 1", "nothing more happens"],
      1
    ])
  })

  it("finds a round that goes on for ever without it, with the way there", () => {
    const spins = { 0: [["GO", 1]], 1: [["spin", 2]], 2: [["back", 1]] } as const
    assert.deepStrictEqual(check(spins), ["broken", ["0 GO 1", "1 spin 2", "2 back 1"], 1])
  })

  it("takes no round for fair in which a step that is always possible is never taken", () => {
    assert.strictEqual(
      check({
        0: [["GO", 1]],
        1: [
          ["spin", 2],
          ["OUT", 9]
        ],
        2: [
          ["back", 1],
          ["OUT", 9]
        ]
      })[0],
      "holds"
    )
  })

  it("takes a round for fair in which the step is not always possible: fairness is weak", () => {
    assert.strictEqual(
      check({
        0: [["GO", 1]],
        1: [
          ["spin", 2],
          ["OUT", 9]
        ],
        2: [["back", 1]]
      })[0],
      "broken"
    )
  })

  it("goes round on no step that is assumed to end, and gets to rounds by it", () => {
    assert.strictEqual(
      check({
        0: [["GO", 1]],
        1: [
          ["end patience", 1],
          ["OUT", 9]
        ]
      })[0],
      "holds"
    )
    assert.strictEqual(
      check({
        0: [
          ["GO", 9],
          ["end", 1]
        ],
        1: [["spin", 2]],
        2: [["back", 1]]
      })[0],
      "broken"
    )
  })

  it("takes a step that changes nothing for none", () => {
    assert.strictEqual(check({ 0: [["GO", 0]] })[0], "broken")
  })

  it("asks of what is to come again and again that no round leaves it out", () => {
    assert.strictEqual(check({ 0: [["GO", 1]], 1: [["GO", 0]] }, returns)[0], "holds")
    assert.strictEqual(check({ 0: [["GO", 1]], 1: [["GO", 2]], 2: [["GO", 1]] }, returns)[0], "broken")
  })

  it("says that it is unfinished where the limit of states ends it", () => {
    assert.strictEqual(check({ 0: [["GO", 1]], 1: [["GO", 2]], 2: [["GO", 9]] }, arrives, 2)[0], "unfinished")
  })
})
