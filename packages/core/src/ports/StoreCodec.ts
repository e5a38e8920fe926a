/**
 * Between rows and the domain: the one place where a store's columns become jobs, agents and events, and back. Plain functions,
 * since they run for each row of each turn; what a row may hold is checked here for every driver (R18).
 */
import { Result } from "effect"
import { type Agent, agentId } from "../domain/Agent.ts"
import { AgentMachine, dispositions, phases, standings } from "../domain/AgentMachine.ts"
import { dispositionOf } from "../domain/Disposition.ts"
import { StoreBroken } from "../domain/errors/StoreErrors.ts"
import { isoInstant, type Job, jobId } from "../domain/Job.ts"
import { isOver, JobMachine, type JobState } from "../domain/JobMachine.ts"
import type { EventDraft, LifecycleEvent, LifecycleEventJson } from "../domain/LifecycleEvent.ts"
import { subjectKinds } from "../domain/LifecycleEvent.ts"
import type { DamagedJob } from "../domain/turn/damaged.ts"
import type { EventDraftRow, EventRow, JobRow, JobStateRow, JobWithBodiesRow } from "./StoreRows.ts"

/** Whether `text` is one of `words`, as a type guard. */
const oneOf =
  <const Word extends string>(words: ReadonlyArray<Word>) =>
  (text: string): text is Word =>
    // The guard's own question: the array is searched for a text that may not be in it.
    (words as ReadonlyArray<string>).includes(text)

const isJobState = oneOf(JobMachine.states)
const isAgentState = oneOf(AgentMachine.states)
const isStanding = oneOf(standings)
const isPhase = oneOf(phases)
const isDisposition = oneOf(dispositions)
const isSubjectKind = oneOf(subjectKinds)

const unknownWord = (row: JobRow, column: string, word: string): StoreBroken =>
  new StoreBroken({ operation: "decode", detail: `job ${row.seq} has the unknown ${column} "${word}"` })

const isNumber = (value: unknown): value is number => typeof value === "number"
const isText = (value: unknown): value is string => typeof value === "string"

/** The list behind a column of JSON; undefined where it is something else. */
const listOf = <A>(
  text: string | null,
  isItem: (value: unknown) => value is A
): ReadonlyArray<A> | undefined => {
  if (text === null) return []
  const parsed: unknown = Result.getOrUndefined(Result.try((): unknown => JSON.parse(text)))
  return Array.isArray(parsed) && parsed.every(isItem) ? parsed : undefined
}

const listText = (list: ReadonlyArray<unknown>): string | null =>
  list.length === 0 ? null : JSON.stringify(list)

const decodeAgent = (row: JobRow): Result.Result<Agent | null, StoreBroken> => {
  if (row.agent_state === null) return Result.succeed(null)
  if (!isAgentState(row.agent_state)) return Result.fail(unknownWord(row, "agent_state", row.agent_state))
  if (row.standing !== null && !isStanding(row.standing)) {
    return Result.fail(unknownWord(row, "standing", row.standing))
  }
  if (row.phase !== null && !isPhase(row.phase)) return Result.fail(unknownWord(row, "phase", row.phase))
  if (row.disposition !== null && !isDisposition(row.disposition)) {
    return Result.fail(unknownWord(row, "disposition", row.disposition))
  }
  const restarts = listOf(row.restarts, isNumber)
  if (restarts === undefined) return Result.fail(unknownWord(row, "restarts", String(row.restarts)))
  const steps = listOf(row.steps, isText)
  if (steps === undefined) return Result.fail(unknownWord(row, "steps", String(row.steps)))
  return Result.succeed({
    state: row.agent_state,
    incarnation: row.incarnation,
    owner:
      row.owner_host === null || row.owner_epoch === null
        ? null
        : { host: row.owner_host, epoch: row.owner_epoch },
    standing: row.standing,
    phase: row.phase,
    hung: row.hung !== 0,
    restarts,
    steps,
    workspace: row.workspace,
    disposition: row.disposition
  })
}

/** The job behind a row; `ORCH_STORE_BROKEN` names the column that holds a word outside the tables. */
export const decodeJob = (storeId: string, row: JobRow): Result.Result<Job, StoreBroken> => {
  const { state } = row
  if (!isJobState(state)) return Result.fail(unknownWord(row, "state", state))
  const id = jobId(storeId, row.seq)
  return Result.map(decodeAgent(row), (agent) => ({
    seq: row.seq,
    jobId: id,
    version: row.version,
    workflowType: row.workflow_type,
    idempotencyKey: row.idempotency_key,
    payloadFingerprint: row.payload_fingerprint,
    state,
    priority: row.priority,
    runAt: row.run_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    retryCount: row.retry_count,
    maxRetries: row.max_retries,
    lastErrorCode: row.last_error_code,
    correlationId: row.correlation_id ?? id,
    traceContext: row.trace_context,
    replayOf: row.replay_of,
    supersededBy: row.superseded_by,
    hold: row.hold,
    agent
  }))
}

/** The agent of a damaged row: each column that can't be read becomes what the others allow. */
const salvageAgent = (row: JobRow, state: JobState): Agent | null => {
  if (row.agent_state === null || state === "PENDING") return null
  const over = isOver(state)
  const owned = row.owner_host !== null && row.owner_epoch !== null
  const fallback = state === "PROCESSING" ? "working" : state === "COMPLETED" ? "landed" : "abandoned"
  const agentState = isAgentState(row.agent_state) ? row.agent_state : fallback
  const standing = over ? "closing" : owned ? "ending" : "waiting"
  return {
    state: agentState,
    incarnation: row.incarnation,
    owner:
      row.owner_host === null || row.owner_epoch === null
        ? null
        : { host: row.owner_host, epoch: row.owner_epoch },
    standing: agentState === "abandoned" ? standing : null,
    phase: row.phase !== null && isPhase(row.phase) ? row.phase : null,
    hung: row.hung !== 0,
    restarts: listOf(row.restarts, isNumber) ?? [],
    steps: listOf(row.steps, isText) ?? [],
    workspace: row.workspace,
    disposition: agentState === "tombstoned" ? dispositionOf(state) : null
  }
}

/** What is left of a row that `decodeJob` refuses with `fault` (R18). */
export const salvageJob = (storeId: string, row: JobWithBodiesRow, fault: string): DamagedJob => {
  const { payload: _payload, result: _result, ...bare } = row
  const raw = JSON.stringify(bare)
  const { seq, state } = row
  if (!isJobState(state)) return { job: null, seq, fault, raw }
  // Without an agent nothing of it can be unreadable.
  const sound = decodeJob(storeId, { ...row, agent_state: null })
  const job = Result.isSuccess(sound) ? { ...sound.success, agent: salvageAgent(row, state) } : null
  return { job, seq, fault, raw }
}

/** The columns that a change writes. */
export const encodeState = (job: Job): JobStateRow => {
  const { agent } = job
  return {
    state: job.state,
    run_at: job.runAt,
    updated_at: job.updatedAt,
    retry_count: job.retryCount,
    last_error_code: job.lastErrorCode,
    hold: job.hold,
    agent_state: agent === null ? null : agent.state,
    incarnation: agent === null ? 0 : agent.incarnation,
    owner_host: agent === null || agent.owner === null ? null : agent.owner.host,
    owner_epoch: agent === null || agent.owner === null ? null : agent.owner.epoch,
    standing: agent === null ? null : agent.standing,
    phase: agent === null ? null : agent.phase,
    hung: agent !== null && agent.hung ? 1 : 0,
    restarts: agent === null ? null : listText(agent.restarts),
    steps: agent === null ? null : listText(agent.steps),
    workspace: agent === null ? null : agent.workspace,
    disposition: agent === null ? null : agent.disposition
  }
}

export const encodeEvent = (event: EventDraft): EventDraftRow => ({
  subject_kind: event.subjectKind,
  event: event.event,
  from_state: event.fromState,
  to_state: event.toState,
  transition_reason: event.transitionReason,
  error_code: event.errorCode,
  actor: event.actor,
  occurred_at: event.occurredAt,
  incarnation: event.incarnation,
  detail: event.detail
})

export const decodeEvent = (storeId: string, row: EventRow): LifecycleEvent => {
  const id = row.job === null ? null : jobId(storeId, row.job)
  return {
    subjectKind: isSubjectKind(row.subject_kind) ? row.subject_kind : "host",
    event: row.event,
    fromState: row.from_state,
    toState: row.to_state,
    transitionReason: row.transition_reason,
    errorCode: row.error_code,
    actor: row.actor,
    occurredAt: row.occurred_at,
    incarnation: row.incarnation,
    detail: row.detail,
    sequence: row.sequence,
    eventId: `${storeId}-e${row.sequence}`,
    jobId: id,
    correlationId: row.correlation_id ?? id
  }
}

const detailValue = (detail: string | null): unknown =>
  detail === null
    ? null
    : Result.getOrElse(
        Result.try((): unknown => JSON.parse(detail)),
        () => detail
      )

/** The event under the seed's names, as it is shown and sent. */
export const eventJson = (event: LifecycleEvent): LifecycleEventJson => ({
  event_id: event.eventId,
  sequence: event.sequence,
  subject_kind: event.subjectKind,
  subject_id:
    event.jobId === null ? event.actor : event.subjectKind === "agent" ? agentId(event.jobId) : event.jobId,
  job_id: event.jobId,
  correlation_id: event.correlationId,
  event: event.event,
  from_state: event.fromState,
  to_state: event.toState,
  transition_reason: event.transitionReason,
  error_code: event.errorCode,
  actor: event.actor,
  occurred_at: isoInstant(event.occurredAt),
  incarnation: event.incarnation,
  detail: detailValue(event.detail)
})
