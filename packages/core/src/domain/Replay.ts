/**
 * Replaying what has failed, was quarantined or was cancelled: a new job, linked to the old one, with its whole envelope and its whole
 * budget (seed, "Replay policy"; R31). And what an operator may say about a letter. Pure: who calls commits what is answered here.
 */
import { Result } from "effect"
import { truncate } from "./BoundedText.ts"
import { type DeadLetterDraft, deadLetterId, replayable } from "./DeadLetter.ts"
import { limits } from "./Defaults.ts"
import { ReplayContextMissing } from "./errors/DeadLetterErrors.ts"
import type { Job } from "./Job.ts"
import type { EventDraft } from "./LifecycleEvent.ts"
import type { Change } from "./turn/Draft.ts"

/** Who wants it, and why. */
export interface Operator {
  /** `kind:id`. */
  readonly actor: string
  /** In their words; null: nothing said. */
  readonly text: string | null
  /** Epoch ms. */
  readonly at: number
}

/** What is known of the job that is to be replayed. */
export interface Replayed {
  readonly job: Job
  /** JSON text; null where it is gone. */
  readonly payload: string | null
  /** Null for a job without one. */
  readonly letter: Pick<DeadLetterDraft, "replayEligible" | "discardedAt"> | null
}

/** The new job; the store makes it supersede the old one in the same unit. */
export interface ReplayJob {
  readonly workflowType: string
  readonly idempotencyKey: string
  readonly payloadFingerprint: string
  readonly payload: string
  readonly priority: number
  readonly runAt: number
  readonly maxRetries: number
  readonly correlationId: string
  readonly traceContext: string | null
  readonly replayOf: number
  readonly actor: string
  /** JSON text for the event of its creation. */
  readonly detail: string
  /** Notes that follow on its creation. */
  readonly notes: ReadonlyArray<EventDraft>
}

const said = ({ text }: Operator): { readonly reason?: string } =>
  text === null ? {} : { reason: truncate(text, limits.reasonBytes) }

const note = (event: string, by: Operator, detail: object): EventDraft => ({
  subjectKind: "job",
  event,
  fromState: null,
  toState: null,
  transitionReason: "operator",
  errorCode: null,
  actor: by.actor,
  occurredAt: by.at,
  incarnation: 0,
  detail: JSON.stringify(detail)
})

/** The note on a replay that starts from nothing: it reads no marker of its predecessors (R31). */
export const freshNote = "replay_fresh"

/** Whether the replay was wanted fresh, from the first events of its chain. */
export const isFresh = (events: ReadonlyArray<Pick<EventDraft, "event">>): boolean =>
  events.some(({ event }) => event === freshNote)

/** Whether a life of its agent is still going on: its replay would be a second one beside it. */
const stillEnds = ({ agent }: Job): boolean =>
  agent !== null && agent.owner !== null && !agent.hung && agent.standing === "ending"

/** What stands against a replay before its envelope is looked at. */
const standsAgainst = ({ job, letter }: Replayed): string | null => {
  if (job.state !== "FAILED" && job.state !== "CANCELLED" && job.state !== "DEAD_LETTERED")
    return "final_state"
  if (job.state === "DEAD_LETTERED" && letter === null) return "dead_letter"
  if (letter !== null && (letter.discardedAt ?? null) !== null) return "letter_discarded"
  return stillEnds(job) ? "agent_end" : null
}

const refused = ({ job, letter }: Replayed, missing: string): ReplayContextMissing =>
  new ReplayContextMissing({
    jobId: job.jobId,
    deadLetterId: letter === null ? null : deadLetterId(job.jobId),
    missing: [missing]
  })

/**
 * The job that replays another one. That one must not be superseded: whoever asks for a second replay gets the first one's job.
 *
 * @param options fresh: it reads no finished marker of its predecessors, which a note of its own tells
 */
export const replay = (
  source: Replayed,
  by: Operator,
  options: { readonly fresh: boolean } = { fresh: false }
): Result.Result<ReplayJob, ReplayContextMissing> => {
  const { job, letter, payload } = source
  const against = standsAgainst(source)
  if (against !== null) return Result.fail(refused(source, against))
  const whole = replayable(
    {
      jobId: job.jobId,
      deadLetterId: letter === null ? null : deadLetterId(job.jobId),
      replayEligible: letter?.replayEligible ?? true
    },
    { ...job, payload, traced: job.traceContext !== null }
  )
  return Result.map(whole, () => ({
    workflowType: job.workflowType,
    idempotencyKey: job.idempotencyKey,
    payloadFingerprint: job.payloadFingerprint,
    // a missing payload was refused above
    payload: payload ?? "null",
    priority: job.priority,
    runAt: by.at,
    maxRetries: job.maxRetries,
    correlationId: job.correlationId,
    traceContext: job.traceContext,
    replayOf: job.seq,
    actor: by.actor,
    detail: JSON.stringify({ replay_of: job.jobId, ...said(by) }),
    notes: options.fresh ? [note(freshNote, by, { replay_of: job.jobId, ...said(by) })] : []
  }))
}

/** A change of the job's row that moves nothing: it holds the commit to the version that was decided on. */
const unmoved = (job: Job, events: ReadonlyArray<EventDraft>, letter: DeadLetterDraft | null): Change => ({
  job: { ...job, version: job.version + 1 },
  version: job.version,
  contested: false,
  events: events.map((event) => ({ ...event, occurredAt: Math.max(event.occurredAt, job.updatedAt) })),
  markers: [],
  retry: null,
  letter,
  result: null
})

/**
 * The note on the job that is replayed. It holds the commit to the row as it was decided on, so that a letter which somebody
 * forbids or discards in the same moment is not replayed. Null while a host still cleans up behind the job: its row is that host's.
 */
export const replayedNote = (job: Job, by: Operator): Change | null =>
  job.agent !== null && job.agent.owner !== null ? null : unmoved(job, [note("replayed", by, said(by))], null)

/** What an operator may say about a letter, and the note that tells it. */
const verdicts = {
  allow: "replay_allowed",
  forbid: "replay_forbidden",
  discard: "letter_discarded"
} as const
export type LetterVerdict = keyof typeof verdicts

/** The letter as the verdict leaves it. Discarding is for good: a discarded letter counts as gone. */
const amended = (letter: DeadLetterDraft, verdict: LetterVerdict, at: number): DeadLetterDraft =>
  verdict === "discard" ? { ...letter, discardedAt: at } : { ...letter, replayEligible: verdict === "allow" }

/**
 * The change that a verdict makes; null where the letter says so already. Nobody rules on a letter that was replayed: its story goes
 * on in the replay.
 */
export const rule = (
  job: Job,
  letter: DeadLetterDraft,
  verdict: LetterVerdict,
  by: Operator
): Result.Result<Change | null, ReplayContextMissing> => {
  const discarded = (letter.discardedAt ?? null) !== null
  if (verdict === "discard" ? discarded : !discarded && letter.replayEligible === (verdict === "allow"))
    return Result.succeed(null)
  if (discarded) return Result.fail(refused({ job, letter, payload: null }, "letter_discarded"))
  if (job.supersededBy !== null) return Result.fail(refused({ job, letter, payload: null }, "replayed"))
  const events = [note(verdicts[verdict], by, said(by))]
  return Result.succeed(unmoved(job, events, amended(letter, verdict, by.at)))
}
