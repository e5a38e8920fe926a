import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Breaker from "../src/domain/Breaker.ts"
import { defaults } from "../src/domain/Defaults.ts"

const policy = defaults.breaker
const patience = 30_000
const sound = 300_000

const int = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const Outcomes = Schema.Array(
  Schema.Struct({ end: Schema.Literals(["success", "failure"]), gap: int(0, 30_000) })
).check(Schema.isMaxLength(80))
const Policy = Schema.Struct({
  failures: int(1, 8),
  attempts: int(1, 12),
  windowMillis: int(1_000, 120_000),
  probeMillis: int(1_000, 60_000)
})

/** Failures one after the other, a second apart, from `from` on. */
const failing = (count: number, from = 0): Breaker.Breaker => {
  let breaker = Breaker.untripped
  for (let index = 0; index < count; index++)
    breaker = Breaker.record(breaker, "failure", from + index * 1_000, policy)
  return breaker
}

const opened = failing(5)

describe("a breaker opens", () => {
  it.prop(
    "at the failure that makes enough of the last attempts within the window, and at no other outcome",
    [Outcomes, Policy],
    ([outcomes, given]) => {
      let breaker = Breaker.untripped
      let now = 1
      const all: Array<number | null> = []
      for (const { end, gap } of outcomes) {
        now += gap
        all.push(end === "failure" ? now : null)
        const failures = all
          .slice(-given.attempts)
          .filter((at) => at !== null && at > now - given.windowMillis).length
        breaker = Breaker.record(breaker, end, now, given)
        const opens = end === "failure" && failures >= given.failures
        if ((breaker.state === "open") !== opens) return false
        if (opens) return breaker.failures === failures && breaker.probeAt === now + given.probeMillis
      }
      return true
    }
  )

  it("at five of the last ten within a minute by default", () => {
    assert.strictEqual(failing(4).state, "closed")
    assert.deepInclude(opened, { state: "open", openedAt: 4_000, probeAt: 34_000, failures: 5, at: 4_000 })
    let mixed = Breaker.untripped
    for (let index = 0; index < 9; index++)
      mixed = Breaker.record(mixed, index % 2 === 0 ? "failure" : "success", index, policy)
    assert.strictEqual(mixed.state, "open", "five of nine")
    let spread = Breaker.untripped
    for (let index = 0; index < 20; index++)
      spread = Breaker.record(spread, "failure", index * 15_000, policy)
    assert.strictEqual(spread.state, "closed", "never five within a minute")
  })

  it("costs a healthy workflow nothing: a success without a failure before it changes nothing", () => {
    assert.strictEqual(Breaker.record(Breaker.untripped, "success", 5, policy), Breaker.untripped)
  })

  it("forgives nothing when the clock is set back", () => {
    let breaker = Breaker.untripped
    for (let index = 0; index < 5; index++)
      breaker = Breaker.record(breaker, "failure", 1_000_000 - index * 100_000, policy)
    assert.strictEqual(breaker.state, "open")
  })
})

describe("an open breaker", () => {
  it("starts nothing until its probe is due, then one", () => {
    assert.deepStrictEqual(Breaker.allow(Breaker.untripped, 0, policy, patience), { _tag: "Closed" })
    assert.deepStrictEqual(Breaker.allow(opened, 33_999, policy, patience), { _tag: "Wait", until: 34_000 })
    assert.deepStrictEqual(Breaker.allow(opened, 34_000, policy, patience), { _tag: "Probe" })
  })

  it("hears no outcome of the attempts that still run", () => {
    assert.strictEqual(Breaker.record(opened, "failure", 5_000, policy), opened)
    assert.strictEqual(Breaker.record(opened, "success", 5_000, policy), opened)
    assert.strictEqual(Breaker.endProbe(opened, 7, "success", 5_000, policy), opened)
  })

  it("doesn't wait for hours because a clock was set back", () => {
    const late = failing(5, 10_000_000)
    assert.deepStrictEqual(Breaker.allow(late, 1_000, policy, patience), { _tag: "Probe" })
  })
})

describe("a half-open breaker", () => {
  const probing = Breaker.sendProbe(opened, 7, 40_000, sound)

  it("starts nothing beside its probe, and keeps since when jobs wait", () => {
    assert.deepInclude(probing, {
      state: "half_open",
      openedAt: 4_000,
      probeAt: 340_000,
      at: 40_000,
      probe: 7
    })
    assert.propertyVal(Breaker.allow(probing, 50_000, policy, patience), "_tag", "Wait")
  })

  it("is closed by its probe's success alone, and then counts anew", () => {
    assert.strictEqual(Breaker.endProbe(probing, 8, "success", 50_000, policy), probing)
    const closed = Breaker.endProbe(probing, 7, "success", 50_000, policy)
    assert.deepStrictEqual(closed, { ...Breaker.untripped, at: 50_000 })
    assert.strictEqual(Breaker.record(closed, "failure", 51_000, policy).state, "closed")
  })

  it("is opened again by its probe's failure, and waits as long as before", () => {
    const reopened = Breaker.endProbe(probing, 7, "failure", 50_000, policy)
    assert.deepInclude(reopened, {
      state: "open",
      openedAt: 4_000,
      probeAt: 80_000,
      failures: 6,
      probe: null
    })
  })

  it("lets another probe go at once when the first says nothing, and later when it was asked for patience", () => {
    assert.deepInclude(Breaker.endProbe(probing, 7, "other", 50_000, policy), {
      state: "open",
      probeAt: 50_000,
      failures: 5
    })
    assert.deepInclude(Breaker.endProbe(probing, 7, "held", 50_000, policy), {
      state: "open",
      probeAt: 80_000,
      failures: 5
    })
  })

  it("waits on other hosts too, but not for ever: a probe of which nobody tells the end is lost", () => {
    const elsewhere = Breaker.heard(opened, { ...probing })
    assert.isNull({ ...elsewhere, probe: null }.probe)
    const unknown = { ...elsewhere, probe: null }
    assert.deepStrictEqual(Breaker.allow(unknown, 50_000, policy, patience), { _tag: "Wait", until: 370_000 })
    assert.deepStrictEqual(Breaker.allow(unknown, 370_000, policy, patience), { _tag: "Probe" })
  })
})

describe("what the store says of a breaker", () => {
  const stored = { state: "open", openedAt: 1, probeAt: 2, failures: 5, at: 1 } as const

  it("replaces what this host knew", () => {
    const known = Breaker.record(Breaker.untripped, "failure", 10, policy)
    assert.deepStrictEqual(Breaker.heard(known, stored), { ...Breaker.untripped, ...stored })
  })

  it("leaves alone what it says itself: the latest outcomes, and who its probe is", () => {
    const probing = Breaker.sendProbe(opened, 7, 40_000, sound)
    const { at, failures, openedAt, probeAt, state } = probing
    assert.strictEqual(Breaker.heard(probing, { at, failures, openedAt, probeAt, state }), probing)
  })

  it("leaves this host its probe where another has sent one in the same moment, and lost its job to this one", () => {
    const mine = Breaker.sendProbe(opened, 7, 40_000, sound)
    const { at, failures, openedAt, probeAt, state } = Breaker.sendProbe(opened, 7, 40_002, sound)
    const both = Breaker.heard(mine, { at, failures, openedAt, probeAt, state })
    assert.strictEqual(Breaker.endProbe(both, 7, "success", 41_000, policy).state, "closed")
    assert.isNull(Breaker.heard(mine, stored).probe, "where it was opened again, nobody probes")
  })
})
