/**
 * The policy of a workflow in worlds of plain values: the windows and deadlines that no world looks at, no plugin, and a question where an
 * outcome is unknown, save what is said otherwise.
 */
import { defaults } from "../../domain/Defaults.ts"
import type { WorkflowPolicy } from "../../domain/WorkflowPolicy.ts"

/** What each world decides for itself. */
type Decided = Pick<WorkflowPolicy, "maxRetries" | "restarts" | "decodePayload">

export const worldPolicy = (name: string, given: Decided & Partial<WorkflowPolicy>): WorkflowPolicy => ({
  name,
  silenceMillis: 300_000,
  silenceCapMillis: 1_800_000,
  progressMillis: 1_800_000,
  inputMillis: 1_800_000,
  breaker: defaults.breaker,
  deadlines: { prepare: 60_000, sentinel: 10_000, work: null, verify: 600_000, land: 600_000, clean: 60_000 },
  unknownOutcome: "ask",
  workspace: false,
  gates: false,
  lander: false,
  ...given
})
