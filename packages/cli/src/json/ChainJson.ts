/**
 * A chain of replays as `muster show --json` and `muster dlq show --json` tell it.
 */
import { isoInstant, type Job, JobMachine } from "@muster/core"
import * as Schema from "effect/Schema"

export const ChainJson = Schema.Array(
  Schema.Struct({
    job_id: Schema.String,
    current_state: Schema.Literals(JobMachine.states),
    last_error_code: Schema.NullOr(Schema.String),
    created_at: Schema.String
  })
).annotate({
  description:
    "The chain of replays that the job is in, the oldest first; each replays the one before it. The job alone where there is none"
})
export type ChainJson = typeof ChainJson.Type

export const chainJson = (chain: ReadonlyArray<Job>): ChainJson =>
  chain.map(({ createdAt, jobId, lastErrorCode, state }) => ({
    job_id: jobId,
    current_state: state,
    last_error_code: lastErrorCode,
    created_at: isoInstant(createdAt)
  }))
