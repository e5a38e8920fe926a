// What a running host has counted, asked for through its socket.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Metric } from "effect"
import { document } from "../CommandLine.ts"
import { live, served } from "./ServedStore.ts"

describe("muster metrics", () => {
  it.live("prints what the host has counted, in the text format of Prometheus", () =>
    Effect.gen(function* () {
      const { fleet, type, work } = yield* served
      yield* fleet.pause()
      yield* fleet.submit(work, { n: 2 })
      const job = yield* fleet.submit(work, { n: 1 })
      yield* fleet.cancel(job.jobId)
      const { err, exitCode, out } = yield* type(["metrics"])
      assert.strictEqual(exitCode, 0, err)
      const text = out.join("\n")
      assert.include(text, "# TYPE muster_jobs_ended counter")
      assert.match(text, /^muster_jobs_ended\{muster_workflow_type="[^"]+",muster_state="CANCELLED"\} 1$/m)
      assert.match(text, /^muster_queue_depth\{.*muster_state="PENDING"\} 1$/m)
      assert.match(text, /^muster_slots\{muster_host="1"\} 2$/m)
      const told = yield* type(["metrics", "--host", "1", "--json"])
      const { host, prometheus } = document("muster metrics", told.out[0])
      assert.strictEqual(host, 1)
      assert.include(prometheus, "muster_turn_duration_bucket")
    }).pipe(Effect.provide(live), Effect.provideService(Metric.MetricRegistry, new Map()))
  )

  it.live("has nothing to tell where no host answers, or not the one that is addressed", () =>
    Effect.gen(function* () {
      const { type, without } = yield* served
      const other = yield* type(["metrics", "--host", "7"])
      assert.include(other.err, "no live host 7")
      assert.notStrictEqual(other.exitCode, 0)
      const none = yield* without(type(["metrics"]))
      assert.strictEqual(none.exitCode, 69)
      assert.include(none.err, "No host of this store answers")
    }).pipe(Effect.provide(live))
  )
})
