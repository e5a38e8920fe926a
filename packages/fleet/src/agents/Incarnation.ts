/**
 * One life of an agent on this host: what its phases need, in memory. The record of the agent itself is its row.
 */
import type { Agent, Assignment, Job, Workspace } from "@muster/core"
import { nothing, type Recalled } from "../jobs/Recall.ts"
import type { ServedWorkflow } from "../plugins/ServedWorkflow.ts"
import { AgentLines } from "./AgentLines.ts"
import type { IncarnationTrace } from "./IncarnationTrace.ts"
import { Vitals } from "./Vitals.ts"

export interface Incarnation {
  readonly seq: number
  readonly number: number
  readonly served: ServedWorkflow
  readonly vitals: Vitals
  readonly lines: AgentLines
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
  /** Its spans; null until it is traced. */
  trace: IncarnationTrace | null
  /** What the agent hands on as TRACEPARENT: of its own span where one is kept, else as submitted; null for none. */
  traceContext: string | null
  /** Its fiber is being stopped: what it would still say is not listened to. */
  interrupted: boolean
}

/** A fresh life of the job's agent. `now`: monotonic milliseconds. */
export const begin = (
  of: Pick<Incarnation, "job" | "served" | "payload" | "payloadJson"> & { readonly agent: Agent },
  now: number
): Incarnation => ({
  seq: of.job.seq,
  number: of.agent.incarnation,
  served: of.served,
  vitals: new Vitals(now, of.agent.phase ?? "work"),
  lines: new AgentLines(of.agent.incarnation),
  payload: of.payload,
  payloadJson: of.payloadJson,
  job: of.job,
  workspace: null,
  isSamePlace: of.served.workspaces === null,
  feedback: [],
  markers: nothing(),
  trace: null,
  traceContext: of.job.traceContext,
  interrupted: false
})

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
