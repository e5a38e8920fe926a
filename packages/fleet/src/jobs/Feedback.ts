/**
 * Why the gates turned down the attempt before: what the next one is told (R25).
 */
import { defaults, type Job, Store } from "@muster/core"
import { Effect, Result, Schema } from "effect"
import { patiently } from "../loop/Host.ts"

const Reasons = Schema.fromJsonString(Schema.Struct({ reasons: Schema.Array(Schema.String) }))
const Detail = Schema.fromJsonString(Schema.Struct({ detail: Reasons }))
const decodeDetail = Schema.decodeUnknownResult(Detail)

/** The reasons of the latest rejection, from the job's retry log; empty for other failures. */
export const feedback = Effect.fnUntraced(
  function* (job: Job) {
    if (job.lastErrorCode !== "ORCH_GATE_REJECTED") return []
    const store = yield* Store
    const rows = yield* patiently(
      store.records({ kind: "retries", job: job.seq, after: 0, limit: defaults.commit.changes })
    )
    const decoded = decodeDetail(rows.at(-1)?.row.failure)
    return Result.isSuccess(decoded) ? decoded.success.detail.reasons : []
  },
  // Feedback is a help: without it the attempt still runs.
  Effect.catch((error) =>
    Effect.as(Effect.logWarning("the feedback of the gates could not be read", error), [])
  )
)
