// The life of a job as a picture.
import { assert, describe, it } from "@effect/vitest"
import type { LifecycleEvent } from "@muster/core"
import { Arbitrary, Schema } from "effect"
import { plain } from "../../src/output/Style.ts"
import { columnsOf, picture } from "../../src/timeline/Picture.ts"
import { stretchesOf } from "../../src/timeline/Stretches.ts"

const page = { width: 80, style: plain, now: 10_000 }

let sequence = 0
const move = (
  subjectKind: "job" | "agent",
  at: number,
  toState: string | null,
  transitionReason: string,
  incarnation = 0,
  errorCode: string | null = null
): LifecycleEvent => ({
  subjectKind,
  event: "move",
  fromState: null,
  toState,
  transitionReason,
  errorCode,
  actor: "host:1",
  occurredAt: at,
  incarnation,
  detail: null,
  sequence: ++sequence,
  eventId: `e${sequence}`,
  jobId: "w-1",
  correlationId: "w-1"
})

const retried = [
  move("job", 0, "PENDING", "submitted"),
  move("job", 1_000, "VALIDATING", "slot_free"),
  move("job", 1_000, "PROCESSING", "payload_valid"),
  move("agent", 1_000, "dispatched", "job_accepted", 1),
  move("agent", 1_000, "working", "prepared", 1),
  move("job", 4_000, "RETRY_SCHEDULED", "attempt_failed", 1, "EXT_AWAY"),
  move("agent", 4_000, "abandoned", "attempt_failed", 1, "EXT_AWAY"),
  move("agent", 5_000, null, "stale_incarnation", 1),
  move("job", 6_000, "PROCESSING", "due", 1),
  move("agent", 6_000, "working", "recover", 2),
  move("agent", 8_000, "landed", "commit_verified", 2),
  move("job", 8_000, "COMPLETED", "landed", 2)
]

describe("the picture of a job's life", () => {
  it("draws each state that took time on one scale, with how long it took and why it ended", () => {
    const events = [...retried, move("agent", 10_000, "tombstoned", "clean", 2)]
    assert.deepStrictEqual(picture(stretchesOf(events), 10_000, page), [
      "                    0          5s          10s",
      "PENDING             ░░░                              1s  slot_free",
      "PROCESSING, life 1     ███████                       3s  attempt_failed EXT_AWAY",
      "RETRY_SCHEDULED               ░░░░░░                 2s  due",
      "PROCESSING, life 2                  █████            2s  landed",
      "COMPLETED                                ░░░░░       2s",
      "agent landed                             ░░░░░       2s  clean",
      "agent tombstoned                             ●"
    ])
  })

  it("of a job that is over and whose agent is gone ends in a point", () => {
    const lines = picture(
      stretchesOf(retried.slice(0, 1).concat(move("job", 500, "CANCELLED", "operator"))),
      500,
      page
    )
    assert.match(lines.at(-1) ?? "", /^CANCELLED +●$/)
  })

  it("tells lives apart, also of the one that lasts", () => {
    const living = stretchesOf(retried.slice(0, 10))
    const processing = living.filter(({ state }) => state === "PROCESSING")
    assert.deepStrictEqual(
      processing.map(({ incarnation, until }) => [incarnation, until]),
      [
        [1, 4_000],
        [2, null]
      ]
    )
  })

  const instant = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 }))

  it.prop(
    "never draws a bar outside its chart, nor one of no width",
    [
      Arbitrary.schema(
        Schema.Struct({
          from: instant,
          length: instant,
          before: instant,
          after: instant,
          columns: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 200 }))
        })
      )
    ],
    ([{ after, before, columns, from, length }]) => {
      const span = { from, until: from + length }
      const { size, start } = columnsOf(span, { from: from - before, until: from + length + after }, columns)
      assert.isAtLeast(start, 0)
      assert.isAtLeast(size, 1)
      assert.isAtMost(start + size, columns)
    }
  )
})
