/** How a tombstone says that a job's work ended. */
import type { Disposition } from "./AgentMachine.ts"
import type { JobState } from "./JobMachine.ts"

/** Of a job that is over. */
export const dispositionOf = (state: JobState): Disposition =>
  state === "COMPLETED" ? "landed" : state === "CANCELLED" ? "discarded" : "quarantined"
