/**
 * An assignment for tests of runners, gates and landers, with every field filled.
 */
import type { Assignment } from "../ports/Runner.ts"

/** `payloadJson` follows `payload` unless it is given. */
export const assignment = (changes: Partial<Assignment> = {}): Assignment => ({
  jobId: "job_1",
  workflowType: "test",
  idempotencyKey: "key_1",
  correlationId: "job_1",
  traceContext: null,
  incarnation: 1,
  attempt: 1,
  payload: null,
  payloadJson: JSON.stringify(changes.payload ?? null),
  workspace: null,
  feedback: [],
  token: "store_1:host_1:1",
  ...changes
})
