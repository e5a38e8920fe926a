/**
 * A row that can't be decoded walks the legal edges to its letter in one unit, and the raw row is kept there; on a final job it is a note
 * (R18). So it hides nothing behind it, and comes up once.
 */
import { StateMachineInvariantBroken } from "../errors/LifecycleErrors.ts"
import { fromError } from "../Failure.ts"
import type { Job } from "../Job.ts"
import { isOver } from "../JobMachine.ts"
import { change, type Draft } from "./Draft.ts"
import { abandon, closeAgent, failJob } from "./ending.ts"
import type { Env } from "./Env.ts"
import { keepAgent, moveJob } from "./move.ts"

/** A job behind a damaged row. */
export interface DamagedJob {
  /** What can be read of it; what can't is as empty as the rest allows. Null: not even its state is known. */
  readonly job: Job | null
  readonly seq: number
  /** What can't be read, in words. */
  readonly fault: string
  /** The row as JSON text, without its bodies. */
  readonly raw: string
}

const reason = "invariant_broken"

const note = (draft: Draft, env: Env, { fault, job, raw, seq }: DamagedJob): void => {
  draft.notes.push({
    seq,
    subjectKind: "job",
    event: "damaged_row",
    fromState: null,
    toState: null,
    transitionReason: reason,
    errorCode: "ORCH_STATE_MACHINE_INVARIANT_BROKEN",
    actor: env.actor,
    occurredAt: env.now,
    incarnation: job?.agent?.incarnation ?? 0,
    detail: JSON.stringify({ fault, row: raw })
  })
}

/** Brings the agent of a job that is over to its end, from wherever its row says that it is. */
const close = (draft: Draft, env: Env, job: Job): void => {
  const { agent } = job
  if (agent === null || agent.state === "tombstoned") return
  if (agent.state === "dispatched" || agent.state === "working") {
    abandon(draft, env, job, "host_lost", "ORCH_STATE_MACHINE_INVARIANT_BROKEN", true)
    return
  }
  const closing = agent.state === "abandoned" ? "closing" : null
  const owed = {
    incarnation: agent.incarnation + 1,
    owner: env.owner,
    standing: closing,
    phase: null
  } as const
  closeAgent(draft, env, keepAgent(draft, job, agent, owed))
}

/** Decides on a damaged row that nobody living owns. Another host may do the same in this moment. */
export const bury = (draft: Draft, env: Env, damaged: DamagedJob): void => {
  const { fault, job, raw } = damaged
  if (job === null) {
    note(draft, env, damaged)
    return
  }
  const entry = change(draft, job, true)
  if (isOver(job.state)) {
    note(draft, env, damaged)
    close(draft, env, job)
    return
  }
  const failure = fromError(
    new StateMachineInvariantBroken({
      invariant: "a job's row can be read",
      subject: `job:${job.jobId}`,
      detail: fault
    })
  )
  const validating =
    job.state === "PENDING" ? moveJob(draft, env, job, "validate", { reason: "slot_free" }) : job
  const taken =
    job.state === "RETRY_SCHEDULED" ? moveJob(draft, env, job, "retry", { reason: "due" }) : validating
  const failed = failJob(draft, env, taken, failure, taken.state === "VALIDATING" ? "reject" : "fail", reason)
  if (entry.letter !== null) entry.letter = { ...entry.letter, raw }
  close(draft, env, failed)
}
