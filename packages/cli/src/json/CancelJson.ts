/**
 * What became of a cancel, as `muster cancel --json` tells it. A cancel that comes too late is an error.
 */
import { JobMachine } from "@muster/core"
import * as Schema from "effect/Schema"
import { SourceJson } from "./SourceJson.ts"

export const CancelJson = Schema.Struct({
  job_id: Schema.String,
  current_state: Schema.Literals(JobMachine.states),
  outcome: Schema.Literals(["cancelled", "requested"]).annotate({
    description: "requested: it is recorded and stays in force, but no host has answered yet (exit code 75)"
  }),
  intent: Schema.NullOr(Schema.Int).annotate({
    description: "The number of the recorded wish; null where the command cancelled the job itself"
  }),
  source: SourceJson
})
export type CancelJson = typeof CancelJson.Type
