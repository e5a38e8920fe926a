/**
 * One life of an agent on this host: what its phases need, in memory. The record of the agent itself is its row.
 */
import type { Assignment, Job, Workspace } from "@muster/core"
import type { Recalled } from "../jobs/Recall.ts"
import type { ServedWorkflow } from "../plugins/ServedWorkflow.ts"
import type { Vitals } from "./Vitals.ts"

export interface Incarnation {
  readonly seq: number
  readonly number: number
  readonly served: ServedWorkflow
  readonly vitals: Vitals
  readonly payload: unknown
  readonly payloadJson: string
  /** As the last command brought it. */
  job: Job
  workspace: Workspace | null
  /** It works where the one before it has worked: what that has left there is still there. */
  isSamePlace: boolean
  feedback: ReadonlyArray<string>
  /** The steps that are finished, and those that a replayed job has left open (R28). */
  markers: Recalled
  /** What the agent hands on as TRACEPARENT: of its own span where one is kept, else as submitted; null for none. */
  traceContext: string | null
  /** Its fiber is being stopped: what it would still say is not listened to. */
  interrupted: boolean
}

/** The assignment of an incarnation, as it stands. `token`: of its host (R20). */
export const assignmentOf = (life: Incarnation, token: string): Assignment => ({
  jobId: life.job.jobId,
  workflowType: life.job.workflowType,
  idempotencyKey: life.job.idempotencyKey,
  correlationId: life.job.correlationId,
  traceContext: life.traceContext,
  incarnation: life.number,
  attempt: life.job.retryCount + 1,
  payload: life.payload,
  payloadJson: life.payloadJson,
  workspace: life.workspace,
  feedback: life.feedback,
  token
})
