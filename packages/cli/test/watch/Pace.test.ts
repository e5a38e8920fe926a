import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { age, limit, money, perSecond, short, timeOfDay } from "../../src/watch/Figures.ts"
import type { FleetLook } from "../../src/watch/FleetLook.ts"
import * as Pace from "../../src/watch/Pace.ts"
import { noSeats, placeOf, seat } from "../../src/watch/Seats.ts"
import { fleetOf, now } from "./Fleets.ts"

const landed = (at: number, count: number): FleetLook => {
  const look = fleetOf(0)
  const workflows = look.workflows.map((one, index) =>
    index === 0 ? { ...one, jobs: { ...one.jobs, COMPLETED: count } } : one
  )
  return { ...look, at, workflows, sequence: look.sequence + count }
}

describe("the pace of a fleet", () => {
  it("is what landed within the last seconds, by the looks that were taken", () => {
    let pace = Pace.standing
    assert.strictEqual(Pace.rate(pace), null)
    for (let tenth = 0; tenth <= 200; tenth++) pace = Pace.take(pace, landed(now + tenth * 100, tenth))
    assert.closeTo(Pace.rate(pace)?.landed ?? 0, 10, 0.01)
    assert.isAtMost(pace.samples.length, 25)
    for (let tenth = 201; tenth <= 400; tenth++) pace = Pace.take(pace, landed(now + tenth * 100, 200))
    assert.strictEqual(Pace.rate(pace)?.landed, 0)
    assert.match(Pace.skyline(pace, 12), /^.{12}$/)
  })

  it("is never negative: retention forgets jobs that landed", () => {
    const pace = Pace.take(Pace.take(Pace.standing, landed(now, 900)), landed(now + 2_000, 10))
    assert.strictEqual(Pace.rate(Pace.take(pace, landed(now + 4_000, 10)))?.landed ?? 0, 0)
  })

  it("counts what agents spent after they have gone, and once", () => {
    const look = fleetOf(3)
    let pace = Pace.take(Pace.standing, look)
    const all = Pace.spentSince(pace)
    pace = Pace.take(pace, { ...look, agents: look.agents.slice(1) })
    pace = Pace.take(pace, { ...look, agents: [] })
    assert.deepStrictEqual(Pace.spentSince(pace), all)
  })
})

describe("seats", () => {
  it.prop(
    "are kept while agents come and go, and no two of a host share one",
    [Schema.Array(Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20 }))))],
    ([rounds]) => {
      const everybody = fleetOf(21).agents
      let seats = noSeats
      for (const round of rounds) {
        const here = everybody.filter((_, at) => round.includes(at))
        const before = seats
        seats = seat(before, here)
        const places = here.map((agent) => placeOf(seats, agent))
        assert.strictEqual(new Set(places).size, here.length)
        for (const agent of here)
          if (before.has(`3/${agent.jobId}`))
            assert.strictEqual(placeOf(before, agent), placeOf(seats, agent))
      }
    }
  )
})

describe("figures", () => {
  it("say a span, a count, a rate and a sum in few characters", () => {
    assert.deepStrictEqual([0, 59_999, 60_000, 3_661_000, 90_061_000, -5, Number.NaN].map(age), [
      "0s",
      "59s",
      "1m00",
      "1h01",
      "1d01h",
      "0s",
      "?"
    ])
    assert.deepStrictEqual([300_000, 90_000, 3_600_000].map(limit), ["5m", "1m30", "1h"])
    assert.deepStrictEqual([0, 999, 1_000, 9_960, 999_600, 2e15].map(short), [
      "0",
      "999",
      "1.0k",
      "10k",
      "1.0M",
      "2000T"
    ])
    assert.deepStrictEqual([0, 0.01, 4.24, 180].map(perSecond), ["0", "<0.1", "4.2", "180"])
    assert.deepStrictEqual([0, 0.0042, 3.2, 12_000].map(money), ["$0.00", "$0.004", "$3.20", "$12k"])
    assert.strictEqual(timeOfDay(now + 3_723_000), "13:02:03")
  })
})
