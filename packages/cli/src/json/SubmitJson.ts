/**
 * What became of a submission, as `muster submit --json` tells it.
 */
import { JobMachine } from "@muster/core"
import * as Schema from "effect/Schema"
import { SourceJson } from "./SourceJson.ts"

export const SubmitJson = Schema.Struct({
  job_id: Schema.String,
  workflow_type: Schema.String,
  idempotency_key: Schema.String,
  current_state: Schema.Literals(JobMachine.states),
  duplicate: Schema.Boolean.annotate({
    description: "The key was there with the same payload: this is that job, and nothing new was stored"
  }),
  run_at: Schema.String.annotate({ description: "When the job is or was due" }),
  result: Schema.Unknown.annotateKey({
    description: "The stored result of a duplicate that has COMPLETED; else null"
  }),
  source: SourceJson
})
export type SubmitJson = typeof SubmitJson.Type
