/**
 * What became of a step, as `muster settle --json` tells it. A settlement that comes too late is an error.
 */
import { JobMachine, settleOutcomes } from "@muster/core"
import * as Schema from "effect/Schema"
import { SourceJson } from "./SourceJson.ts"

export const SettleJson = Schema.Struct({
  job_id: Schema.String,
  current_state: Schema.Literals(JobMachine.states),
  marker: Schema.String.annotate({ description: "The step" }),
  answer: Schema.Literals(settleOutcomes).annotate({ description: "What was said about it" }),
  outcome: Schema.Literals(["settled", "requested"]).annotate({
    description: "requested: it is recorded and stays in force, but no host has answered yet (exit code 75)"
  }),
  intent: Schema.Int.annotate({ description: "The number of the recorded wish" }),
  source: SourceJson
})
export type SettleJson = typeof SettleJson.Type
