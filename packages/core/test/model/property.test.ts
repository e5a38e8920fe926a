import { assert, describe, it } from "@effect/vitest"
import type { Draft } from "../../src/domain/turn/Draft.ts"
import { property } from "../../src/model/checkers/property.ts"
import { fleetModel } from "../../src/model/FleetModel.ts"
import * as Invariant from "../../src/model/Invariant.ts"
import { ofTier } from "../../src/model/Model.ts"
import { always, alwaysStep, infinitelyOften, leadsTo } from "../../src/model/Temporal.ts"
import { isSound, tellTrace } from "../../src/model/Verdict.ts"
import { fleetWalks } from "../../src/model/walks/FleetWalks.ts"
import type { Walks } from "../../src/model/walks/Walks.ts"
import { real } from "../../src/model/world/Behaviour.ts"
import { rules } from "./WorldScene.ts"

const linear = ofTier(fleetModel, "property")
const options = { seed: 11, walks: 25, length: 160 }

/** The fleet whose decisions are changed once they are made. */
const spoilt = (spoil: (draft: Draft) => void) =>
  fleetWalks({
    ...rules,
    behaviour: {
      ...real,
      decide: (draft, signal, env) => {
        real.decide(draft, signal, env)
        spoil(draft)
      }
    }
  })

describe("the property check of the fleet", () => {
  it("finds every linear invariant to hold, and says how far it went", () => {
    const verdicts = property(linear, fleetWalks(rules), options)
    assert.isTrue(isSound(verdicts), JSON.stringify(verdicts.find(({ verdict }) => verdict !== "holds")))
    assert.deepStrictEqual(
      verdicts.map(({ invariant }) => invariant),
      linear.map(({ id }) => id)
    )
    for (const { explored } of verdicts) {
      assert.deepInclude(explored, { unit: "walks", count: 25 })
      assert.isAbove(explored.steps, 25 * 160)
    }
  })

  it("sees a retry that isn't logged, and tells it in the few acts that it takes", () => {
    const walks = spoilt((draft) => {
      for (const change of draft.changes.values()) change.retry = null
    })
    const broken = property(linear, walks, options).filter(({ verdict }) => verdict === "broken")
    assert.deepStrictEqual(
      broken.map(({ invariant }) => invariant),
      ["retries-are-logged"]
    )
    const trace = broken[0]?.trace
    assert.isDefined(trace)
    assert.isNotNull(trace)
    assert.isAtMost(trace.steps.length, 6)
    const told = tellTrace(trace).join("\n")
    assert.match(told, /^job 1: /)
    assert.match(told, /a caller submits/)
    assert.match(told, /PROCESSING -schedule_retry-> RETRY_SCHEDULED/)
  })

  it("sees a job that stays FAILED though its policy demands quarantine", () => {
    const walks = spoilt((draft) => {
      for (const change of draft.changes.values()) {
        if (change.job.state !== "DEAD_LETTERED") continue
        change.job = { ...change.job, state: "FAILED" }
        change.letter = null
        change.events.splice(
          change.events.findIndex(({ event }) => event === "dead_letter"),
          1
        )
        if (change.job.agent?.owner !== null && draft.owned.has(change.job.seq))
          draft.owned.set(change.job.seq, change.job)
      }
    })
    const verdicts = property(linear, walks, options)
    const broken = verdicts.filter(({ verdict }) => verdict === "broken")
    assert.include(
      broken.map(({ invariant }) => invariant),
      "failed-leads-to-quarantine"
    )
  })

  it("finds the same from the same seed", () => {
    const walks = spoilt((draft) => {
      for (const change of draft.changes.values()) change.retry = null
    })
    const few = { seed: 3, walks: 3, length: 80 }
    assert.deepStrictEqual(property(linear, walks, few), property(linear, walks, few))
  })
})

/** A counter that goes up and down, and down to nothing once nobody pushes it. */
type Act = "up" | "down"
const counter: Walks<number, Act> = {
  initial: 0,
  choose: (_, dice) => (dice % 2 === 0 ? "up" : "down"),
  step: (count, act) => count + (act === "up" ? 1 : -1),
  settle: function* (count) {
    for (let left = count; left !== 0;) left = yield left > 0 ? "down" : "up"
  },
  tell: (_, act, after) => ({ act, seen: [`${after}`] })
}

const declared = { sentence: "It is so.", lanes: ["hand"], primitive: "none", source: "arithmetic" } as const
const small = Invariant.make({
  ...declared,
  id: "small",
  temporal: always((count: number) => (count > 3 ? `it is ${count}` : null))
})
const slow = Invariant.make({
  ...declared,
  id: "slow",
  temporal: alwaysStep((before: number, after: number) => (Math.abs(after - before) > 1 ? "it jumps" : null))
})
const falls = Invariant.make({
  ...declared,
  id: "falls",
  temporal: leadsTo(
    (count: number) => count > 2,
    (count) => count === 0
  )
})
const rests = Invariant.make({
  ...declared,
  id: "rests",
  temporal: infinitelyOften((count: number) => count === 0)
})
const never = Invariant.make({
  ...declared,
  id: "never",
  temporal: leadsTo(
    (count: number) => count > 2,
    (count) => count === 1_000
  )
})

describe("the property check of a host's own machine", () => {
  const walked = { seed: 1, walks: 10, length: 60 }

  it("breaks what can break with the shortest way there, and nothing else", () => {
    const verdicts = property([small, slow, falls, rests], counter, walked)
    assert.deepStrictEqual(
      verdicts.map(({ form, invariant, verdict }) => [invariant, form, verdict]),
      [
        ["small", "[]P", "broken"],
        ["slow", "[]P", "holds"],
        ["falls", "P ~> Q", "holds"],
        ["rests", "[]<>P", "holds"]
      ]
    )
    assert.deepStrictEqual(verdicts[0]?.trace, {
      finding: "it is 4",
      steps: ["1", "2", "3", "4"].map((count) => ({ act: "up", seen: [count] })),
      cycleFrom: null
    })
  })

  it("decides liveness where walks settle: what never comes is broken, by the acts that it waits for", () => {
    const [verdict] = property([never], counter, walked)
    assert.strictEqual(verdict?.verdict, "broken")
    assert.deepStrictEqual(
      verdict?.trace?.steps.map(({ act }) => act),
      ["up", "up", "up", "down", "down", "down"]
    )
    const [standing] = property(
      [rests],
      { ...counter, settle: function* (): Generator<Act, void, number> {} },
      walked
    )
    assert.strictEqual(standing?.verdict, "broken")
  })

  it("leaves liveness unfinished where walks don't settle", () => {
    const { settle: _, ...endless } = counter
    const verdicts = property([small, falls, rests], endless, walked)
    assert.deepStrictEqual(
      verdicts.map(({ verdict }) => verdict),
      ["broken", "unfinished", "unfinished"]
    )
  })

  it("tells a trace as lines", () => {
    const trace = { finding: "it is 4", steps: [{ act: "up", seen: ["4"] }], cycleFrom: 0 }
    assert.deepStrictEqual(tellTrace(trace), ["it is 4", "from here on, for ever:", "  0  up", "       4"])
  })
})
