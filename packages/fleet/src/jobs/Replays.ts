/**
 * Replays and verdicts on letters, with nothing but the store: for hosts and for command lines alike. What may be replayed is decided
 * in core's Replay.ts; here the commit is made and, when the row has moved, decided again.
 */
import {
  type DeadLetterDraft,
  jobId,
  JobNotFound,
  type LetterRow,
  Replay,
  ReplayContextMissing,
  Store
} from "@muster/core"
import { Clock, Effect, Result, Schedule } from "effect"
import { instant } from "../Instant.ts"

/** Who wants it, and why. */
export interface Wish {
  /** `kind:id`. */
  readonly actor: string
  /** In their words; null: nothing said. */
  readonly reason: string | null
}

/** What came of a replay. */
export interface Replayed {
  /** The job that replays. */
  readonly jobId: string
  /** The job that is replayed. */
  readonly replayOf: string
  /** True where an earlier request has made it: the first one's job answers (R24, R31). */
  readonly duplicate: boolean
}

export interface ReplayOptions {
  /** Reads no finished marker of its predecessors; a note tells it. */
  readonly fresh?: boolean
}

/** The letter in the words of the domain. */
const letterDraft = (row: LetterRow): DeadLetterDraft => ({
  finalState: row.final_state,
  failureErrorCode: row.failure_error_code,
  failureSummary: row.failure_summary,
  quarantinedAt: row.quarantined_at,
  replayEligible: row.replay_eligible !== 0,
  discardedAt: row.discarded_at,
  ...(row.raw === null ? {} : { raw: row.raw })
})

const operator = Effect.fnUntraced(function* (wish: Wish) {
  const by: Replay.Operator = { actor: wish.actor, text: wish.reason, at: instant(yield* Clock.Clock) }
  return by
})

const letterOf = Effect.fnUntraced(function* (seq: number) {
  const store = yield* Store
  const [found] = yield* store.records({ kind: "letters", job: seq, after: 0, limit: 1 })
  return found === undefined ? null : letterDraft(found.row)
})

/** Read again and decided again for so long: a host that cleans up behind a job owns its row for a moment. */
const whileMoving = {
  while: ({ _tag }: { readonly _tag: string }) => _tag === "ORCH_STORE_STALE",
  schedule: Schedule.spaced("50 millis"),
  times: 100
} as const

/** The job as it stands, and what its replay would be; null: it was replayed before, as `supersededBy` says. */
const decide = Effect.fnUntraced(function* (id: string, by: Replay.Operator, fresh: boolean) {
  const store = yield* Store
  const { job, payload } = yield* store.job(id)
  if (job.supersededBy !== null) return { job, decided: null }
  const letter = yield* letterOf(job.seq)
  return { job, decided: yield* Effect.fromResult(Replay.replay({ job, payload, letter }, by, { fresh })) }
})

const attempt = Effect.fnUntraced(function* (id: string, wish: Wish, options: ReplayOptions) {
  const store = yield* Store
  const by = yield* operator(wish)
  const { decided, job } = yield* decide(id, by, options.fresh ?? false)
  const answer = (seq: number, duplicate: boolean): Replayed => ({
    jobId: jobId(store.id, seq),
    replayOf: job.jobId,
    duplicate
  })
  if (decided === null) return answer(job.supersededBy ?? 0, true)
  const note = Replay.replayedNote(job, by)
  const { inserted } = yield* store
    .commit({ fence: null, at: by.at, inserts: [decided], changes: note === null ? [] : [note] })
    .pipe(Effect.catchTag("ORCH_HOST_FENCED", Effect.die))
  const [one] = inserted
  if (one?._tag === "Inserted") return answer(one.seq, false)
  // Somebody was faster: the row says by now who.
  const { job: now } = yield* store.job(id)
  return now.supersededBy === null
    ? yield* Effect.die("the store refused a replay of a job that nothing supersedes")
    : answer(now.supersededBy, true)
})

/** An agent that has been told to end does so within its grace; its row tells when. */
const whileEnding = {
  while: (error: { readonly _tag: string }) =>
    error instanceof ReplayContextMissing && error.missing.includes("agent_end"),
  schedule: Schedule.spaced("100 millis"),
  times: 100
} as const

/** Replays a letter, a FAILED or a CANCELLED job, exactly once (R31). */
export const replay = Effect.fn("Replays.replay")(function* (
  id: string,
  wish: Wish,
  options: ReplayOptions = {}
) {
  return yield* attempt(id, wish, options).pipe(Effect.retry(whileMoving), Effect.retry(whileEnding))
})

/** Whether it could be replayed, without doing it: fails with what stands against it. `replayedBy`: the job that replays it already. */
export const rehearse = Effect.fn("Replays.rehearse")(function* (id: string, wish: Wish) {
  const store = yield* Store
  const { job } = yield* decide(id, yield* operator(wish), false)
  return {
    replayOf: job.jobId,
    replayedBy: job.supersededBy === null ? null : jobId(store.id, job.supersededBy)
  }
})

const tryRule = Effect.fnUntraced(function* (id: string, verdict: Replay.LetterVerdict, wish: Wish) {
  const store = yield* Store
  const { job } = yield* store.job(id)
  const letter = yield* letterOf(job.seq)
  // A job without a letter is not in the queue.
  if (letter === null) return yield* new JobNotFound({ jobId: `${id} among the dead letters` })
  const by = yield* operator(wish)
  const decided = Replay.rule(job, letter, verdict, by)
  if (Result.isFailure(decided)) return yield* decided.failure
  if (decided.success === null) return { job, changed: false }
  yield* store
    .commit({ fence: null, at: by.at, changes: [decided.success] })
    .pipe(Effect.catchTag("ORCH_HOST_FENCED", Effect.die))
  return { job, changed: true }
})

/** Allows or forbids the replay of a letter, or discards it, with an audited note (R31). `changed`: it did not say so before. */
export const rule = Effect.fn("Replays.rule")(function* (
  id: string,
  verdict: Replay.LetterVerdict,
  wish: Wish
) {
  return yield* Effect.retry(tryRule(id, verdict, wish), whileMoving)
})
