import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import {
  controlOf,
  hostIntents,
  mayClaim,
  modeOf,
  type OpenIntent,
  pausesOf,
  scaleValue,
  type IntentEnd,
  settlements
} from "../src/domain/Intent.ts"

const wish = (
  intent: number,
  kind: string,
  host: number | null = null,
  slots?: number | null
): OpenIntent => ({
  intent,
  kind,
  host,
  value: slots === undefined ? null : scaleValue(slots)
})

const hosts = (live: ReadonlyArray<number>, busy: ReadonlyArray<number> = []) => ({
  live: new Set(live),
  busy: new Set(busy)
})

const said = (settled: ReadonlyArray<IntentEnd>) =>
  settled.map(({ intent, outcome }) => `${intent} ${outcome}`).toSorted()

/** Settles what is due, and answers what stays open. */
const settle = (open: ReadonlyArray<OpenIntent>, seen = hosts([1, 2])): ReadonlyArray<OpenIntent> => {
  const ended = new Set(settlements(open, seen).map(({ intent }) => intent))
  return open.filter(({ intent }) => !ended.has(intent))
}

describe("pause and resume", () => {
  it("a host is paused exactly while an open pause exists that no later resume ends", () => {
    assert.isTrue(controlOf([wish(1, "pause")], 1).paused)
    assert.isFalse(controlOf([wish(1, "pause"), wish(2, "resume")], 1).paused)
    assert.isTrue(controlOf([wish(1, "pause"), wish(2, "resume"), wish(3, "pause")], 1).paused)
    assert.isFalse(controlOf([], 1).paused)
  })

  it("the order of arrival decides by number, whatever order they are read in (R11)", () => {
    const pause = wish(4, "pause")
    const resume = wish(5, "resume")
    for (const open of [
      [pause, resume],
      [resume, pause]
    ]) {
      assert.isFalse(controlOf(open, 1).paused)
      assert.deepStrictEqual(said(settlements(open, hosts([1]))), ["4 resumed", "5 resumed"])
    }
  })

  it("a resume ends all pauses before it and none after it, and says so when there was none", () => {
    const open = [wish(1, "pause"), wish(2, "pause"), wish(3, "resume"), wish(4, "pause"), wish(5, "cancel")]
    assert.deepStrictEqual(said(settlements(open, hosts([]))), ["1 resumed", "2 resumed", "3 resumed"])
    assert.deepStrictEqual(
      settle(open).map(({ intent }) => intent),
      [4, 5]
    )
    const twice = [wish(1, "resume"), wish(2, "pause"), wish(3, "resume"), wish(4, "resume")]
    assert.deepStrictEqual(said(settlements(twice, hosts([]))), [
      "1 not_paused",
      "2 resumed",
      "3 resumed",
      "4 not_paused"
    ])
  })
})

describe("drain", () => {
  it("stops the claims of the hosts that it addresses", () => {
    assert.isTrue(controlOf([wish(1, "drain", 2)], 2).draining)
    assert.isFalse(controlOf([wish(1, "drain", 2)], 1).draining)
    assert.isTrue(controlOf([wish(1, "drain")], 1).draining)
    assert.isFalse(mayClaim(controlOf([wish(1, "drain")], 1)))
  })

  it("of one host ends when that host runs nothing, or is gone", () => {
    const open = [wish(1, "drain", 2)]
    assert.deepStrictEqual(settlements(open, hosts([1, 2], [2])), [])
    assert.deepStrictEqual(said(settlements(open, hosts([1, 2], [1]))), ["1 drained"])
    assert.deepStrictEqual(said(settlements(open, hosts([1], [1]))), ["1 host_gone"])
  })

  it("of all hosts ends when no live one runs anything", () => {
    const open = [wish(1, "drain")]
    assert.deepStrictEqual(settlements(open, hosts([1, 2], [2])), [])
    assert.deepStrictEqual(said(settlements(open, hosts([1, 2]))), ["1 drained"])
    assert.deepStrictEqual(said(settlements(open, hosts([]))), ["1 drained"])
  })

  it("goes on beside a resume, which ends pauses alone", () => {
    const open = [wish(1, "drain"), wish(2, "pause"), wish(3, "resume")]
    assert.deepInclude(controlOf(open, 1), { paused: false, draining: true })
    assert.deepStrictEqual(said(settlements(open, hosts([1], [1]))), ["2 resumed", "3 resumed"])
  })
})

describe("scale", () => {
  it("the newest open one that addresses a host is its slots", () => {
    const open = [wish(1, "scale", null, 8), wish(2, "scale", 2, 1), wish(3, "scale", 3, 5)]
    assert.strictEqual(controlOf(open, 1).slots, 8)
    assert.strictEqual(controlOf(open, 2).slots, 1)
    assert.strictEqual(controlOf([...open, wish(4, "scale", null, 6)], 2).slots, 6)
    assert.isNull(controlOf([], 1).slots)
  })

  it("older ones are superseded, but one for all stays in force for the hosts that no newer one names", () => {
    const open = [wish(1, "scale", null, 8), wish(2, "scale", 2, 1)]
    assert.deepStrictEqual(settlements(open, hosts([1, 2])), [])
    assert.deepStrictEqual(said(settlements([...open, wish(3, "scale", 2, 2)], hosts([1, 2]))), [
      "2 superseded"
    ])
    assert.deepStrictEqual(said(settlements([...open, wish(3, "scale", null, 2)], hosts([1, 2]))), [
      "1 superseded",
      "2 superseded"
    ])
  })

  it("one for a host that is gone is settled: its number is not used again", () => {
    assert.deepStrictEqual(said(settlements([wish(1, "scale", 7, 2)], hosts([1]))), ["1 host_gone"])
  })

  it("a reset ends what is older, and stays only where it holds off one for all", () => {
    const all = wish(1, "scale", null, 8)
    assert.deepStrictEqual(said(settlements([all, wish(2, "scale", null, null)], hosts([1]))), [
      "1 superseded",
      "2 reset"
    ])
    assert.deepStrictEqual(settlements([all, wish(2, "scale", 1, null)], hosts([1])), [])
    assert.isNull(controlOf([all, wish(2, "scale", 1, null)], 1).slots)
    assert.strictEqual(controlOf([all, wish(2, "scale", 1, null)], 2).slots, 8)
    assert.deepStrictEqual(said(settlements([wish(2, "scale", 1, null)], hosts([1]))), ["2 reset"])
  })

  it("a value that says no number of slots changes nothing", () => {
    for (const value of [
      null,
      "",
      "{",
      "[]",
      '{"slots":0}',
      '{"slots":-1}',
      '{"slots":"4"}',
      '{"slots":1.5}'
    ])
      assert.isNull(controlOf([{ intent: 1, kind: "scale", host: null, value }], 1).slots)
  })
})

const Kind = Schema.Literals([...hostIntents, "cancel"])
const Slots = Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9 })))
const Host = Schema.NullOr(Schema.Literals([1, 2, 3]))
const Wishes = Schema.Array(Schema.Struct({ kind: Kind, host: Host, slots: Slots })).check(
  Schema.isMaxLength(12)
)

describe("settling", () => {
  it.prop(
    "never changes what is in force: a host obeys the same before and after, and nothing is due twice",
    [Wishes],
    ([drawn]) => {
      const open = drawn.map(({ host, kind, slots }, index) =>
        wish(
          index + 1,
          kind,
          kind === "scale" || kind === "drain" ? host : null,
          kind === "scale" ? slots : undefined
        )
      )
      const seen = hosts([1, 2], [1, 2])
      const left = settle(open, seen)
      for (const host of seen.live) {
        assert.deepStrictEqual(controlOf(left, host), controlOf(open, host))
        assert.strictEqual(pausesOf(left).length, pausesOf(open).length)
      }
      assert.isFalse(left.some(({ kind }) => kind === "resume"))
      assert.deepStrictEqual(settle(left, seen), left)
      return true
    }
  )
})

describe("the mode", () => {
  it("is the first that holds of stopping, paused, draining, running (R13)", () => {
    const both = { paused: true, draining: true, slots: null }
    assert.strictEqual(modeOf(both, true), "stopping")
    assert.strictEqual(modeOf(both), "paused")
    assert.strictEqual(modeOf({ ...both, paused: false }), "draining")
    assert.strictEqual(modeOf({ paused: false, draining: false, slots: 3 }), "running")
  })
})
