// What a host has brought to an end within the last minute.
import { assert, describe, it } from "@effect/vitest"
import type { EventDraft } from "@muster/core"
import { Schema } from "effect"
import { Throughput } from "../../src/loop/Throughput.ts"

const move = (event: string, errorCode: string | null = null): EventDraft => ({
  subjectKind: "job",
  event,
  fromState: null,
  toState: null,
  transitionReason: "any",
  errorCode,
  actor: "host:1",
  occurredAt: 0,
  incarnation: 1,
  detail: null
})

describe("throughput", () => {
  it("counts what landed and what failed with a code, and nothing that was handed back", () => {
    const counts = new Throughput(0)
    counts.take(
      [
        move("complete"),
        move("fail", "EXT_DOWN"),
        move("schedule_retry", "EXT_DOWN"),
        move("schedule_retry"),
        move("cancel"),
        { ...move("complete"), subjectKind: "agent" }
      ],
      5_000
    )
    assert.deepStrictEqual(counts.read(10_000), { windowMillis: 10_000, landed: 1, failed: 2 })
  })

  it.prop(
    "is that of the last minute, to the second",
    { times: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 300 }))) },
    ({ times }) => {
      const counts = new Throughput(0)
      const seconds = times.toSorted((a, b) => a - b)
      for (const second of seconds) counts.take([move("complete")], second * 1_000)
      const now = 300
      const within = seconds.filter((second) => second > now - 60).length
      assert.deepStrictEqual(counts.read(now * 1_000), { windowMillis: 60_000, landed: within, failed: 0 })
    }
  )
})
