/**
 * A line of an agent, as `muster logs --json` prints it; the files beside the store hold the same without the job.
 */
import { isoInstant } from "@muster/core"
import type { AgentLogs } from "@muster/fleet"
import * as Schema from "effect/Schema"

export const LogLineJson = Schema.Struct({
  job_id: Schema.String,
  incarnation: Schema.Int.annotate({ description: "Which life of the agent has said it, from 1" }),
  number: Schema.Int.annotate({
    description: "Of that life's lines, from 1. A jump: those between were left out"
  }),
  at: Schema.String,
  source: Schema.Literals(["stdout", "stderr", "log", "progress"]).annotate({
    description:
      "progress: what a progress report said; log: what a function agent logged, or a remark on what was left out"
  }),
  text: Schema.String.annotate({ description: "As the agent has said it, without its line break" }),
  cut: Schema.Boolean.annotate({ description: "It was longer than 64 KiB, and its rest is gone" })
})
export type LogLineJson = typeof LogLineJson.Type

export const logLineJson = (jobId: string, line: AgentLogs.LoggedLine): LogLineJson => ({
  job_id: jobId,
  incarnation: line.incarnation,
  number: line.number,
  at: isoInstant(line.at),
  source: line.source,
  text: line.text,
  cut: line.cut
})
