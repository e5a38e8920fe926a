/**
 * The part of the embedding API that is about jobs: submit, await, cancel, and their events.
 */
import {
  CancelTooLate,
  deadLetterId,
  defaults,
  DuplicateIdempotencyKey,
  Failure,
  type HostRow,
  type Inserted,
  isoInstant,
  JobFailed,
  JobNotFound,
  PayloadTypeMismatch,
  seqOf,
  Store,
  type StoredJob,
  type StoreFailure,
  type Submission,
  type Workflow,
  type WorkflowPolicy
} from "@muster/core"
import { Clock, Deferred, Effect, Option, Result, Schema, Stream } from "effect"
import { Digest } from "effect/crypto"
import type { AgentLines } from "../agents/AgentLines.ts"
import type { FleetEnded, FleetService, JobHandle, Submitted, SubmitOptions, WishOptions } from "../Fleet.ts"
import { instant } from "../Instant.ts"
import { patiently } from "../loop/Host.ts"
import type { Mailbox } from "../loop/Mailbox.ts"
import * as TraceContext from "../observability/TraceContext.ts"
import type { EventFeed } from "./EventFeed.ts"
import * as Submissions from "./Submissions.ts"
import type { Waiters } from "./Waiters.ts"

export interface FleetJobsOptions {
  readonly mailbox: Mailbox
  readonly waiters: Waiters
  readonly feed: EventFeed
  readonly ended: Deferred.Deferred<never, FleetEnded>
  readonly workflows: ReadonlyMap<string, WorkflowPolicy>
  readonly host: HostRow
  /** Looks at the open intents now. */
  readonly look: Effect.Effect<void, StoreFailure>
  /** Something may have been written of which this host would not hear: it looks soon, whether or not the store changes. */
  readonly unsure: Effect.Effect<void>
  /** The lines of a job's living incarnation, by the job's number. */
  readonly lines: (seq: number) => AgentLines | undefined
}

const submitted = (inserted: Inserted, runAt: number): Submitted =>
  inserted._tag === "Inserted"
    ? { _tag: "Inserted", jobId: inserted.jobId, state: "PENDING", runAt }
    : { _tag: inserted._tag, jobId: inserted.jobId, state: inserted.state, runAt: inserted.runAt }

/** Why a job that is over has no result. */
const failureOf = ({ job }: StoredJob, letter: { readonly failure_summary: string } | undefined): JobFailed =>
  new JobFailed({
    jobId: job.jobId,
    code: job.lastErrorCode,
    summary:
      letter?.failure_summary ??
      (job.state === "CANCELLED"
        ? `it was cancelled at ${isoInstant(job.updatedAt)}`
        : `it ended ${job.state}`),
    deadLetterId: letter === undefined ? null : deadLetterId(job.jobId)
  })

/** In the trace that it names, else in one of its own where spans are kept. */
const inTrace = (submission: Submission): Effect.Effect<Submission> =>
  submission.traceContext !== undefined
    ? Effect.succeed(submission)
    : Effect.map(TraceContext.ofEach(submission.workflowType), (traceContext) =>
        traceContext === undefined ? submission : { ...submission, traceContext }
      )

const decodeFailure = Schema.decodeUnknownOption(Schema.fromJsonString(Failure.Failure))

export const make = Effect.fnUntraced(function* (options: FleetJobsOptions) {
  const { ended, mailbox, waiters } = options
  const store = yield* Store
  const clock = yield* Clock.Clock
  const digest = yield* Digest.Digest
  const actor = `caller:host-${options.host.host}`
  const orEnd = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E | FleetEnded> =>
    Effect.raceFirst(effect, Deferred.await(ended))

  const toNewJob = (submission: Submission, by: string) =>
    Submissions.toNewJob(submission, {
      actor: by,
      now: instant(clock),
      maxRetries: (workflow) => options.workflows.get(workflow)?.maxRetries ?? defaults.maxRetries
    }).pipe(Effect.provideService(Digest.Digest, digest))

  /** Hands all in, then waits for their commits: one turn takes many. */
  const insert = Effect.fnUntraced(function* (submissions: ReadonlyArray<Submission>, by: string = actor) {
    const jobs = yield* Effect.forEach(submissions, (submission) => toNewJob(submission, by))
    const answers: Array<Deferred.Deferred<Inserted, StoreFailure | FleetEnded>> = []
    for (const job of jobs) {
      const answer = Deferred.makeUnsafe<Inserted, StoreFailure | FleetEnded>()
      answers.push(answer)
      yield* mailbox.submit({ job, answer })
    }
    const inserted = yield* Effect.forEach(answers, Deferred.await)
    return inserted.map((one, index) => ({ inserted: one, job: jobs[index] }))
  })

  const over = Effect.fn("Fleet.await")(function* (jobId: string) {
    const seq = seqOf(store.id, jobId)
    if (seq === undefined) return yield* new JobNotFound({ jobId })
    // A job that isn't there is no job to wait for.
    yield* patiently(store.job(jobId))
    yield* orEnd(waiters.over(seq))
    return yield* patiently(store.job(jobId))
  })

  const letterOf = (seq: number) =>
    Effect.map(
      patiently(store.records({ kind: "letters", job: seq, after: 0, limit: 1 })),
      (letters) => letters[0]?.row
    )

  /** The failure that ended the job: its last `fail` event keeps it whole. */
  const failureIn = (seq: number) =>
    Effect.map(patiently(store.events({ job: seq, after: 0, limit: 10, order: "descending" })), (events) => {
      const failed = events.find(({ event }) => event === "fail")
      return decodeFailure(failed?.detail ?? null)
    })

  const result = <Payload, Output, R, E>(workflow: Workflow.Workflow<Payload, Output, R, E>, jobId: string) =>
    Effect.gen(function* () {
      const stored = yield* over(jobId)
      if (stored.job.state !== "COMPLETED") {
        const failure = yield* failureIn(stored.job.seq)
        const declared = Option.isSome(failure) ? workflow.decodeError(failure.value) : null
        if (declared !== null) return yield* Effect.fail(declared)
        return yield* failureOf(stored, yield* letterOf(stored.job.seq))
      }
      const decoded = workflow.decodeResult(stored.result ?? "null")
      if (Result.isSuccess(decoded)) return decoded.success
      // Stored by an earlier version of the workflow: the job stands, its result is of another type.
      const summary = `its stored result doesn't fit: ${decoded.failure.path} ${decoded.failure.detail}`
      return yield* new JobFailed({
        jobId,
        code: "CONTRACT_PAYLOAD_TYPE_MISMATCH",
        summary,
        deadLetterId: null
      })
    })

  const submit = Effect.fn("Fleet.submit")(function* <Payload, Output, R, E>(
    workflow: Workflow.Workflow<Payload, Output, R, E>,
    payload: Payload,
    given: SubmitOptions = {}
  ) {
    const encoded = workflow.encodePayload(payload)
    if (Result.isFailure(encoded)) {
      const { detail, path } = encoded.failure
      return yield* new PayloadTypeMismatch({ workflowType: workflow.name, subject: "payload", path, detail })
    }
    const traceContext = given.traceContext ?? (yield* TraceContext.ofCaller)
    const submission: Submission = {
      workflowType: workflow.name,
      payload: encoded.success,
      ...given,
      ...(traceContext === undefined ? {} : { traceContext })
    }
    const [answer] = yield* orEnd(insert([submission]))
    if (answer === undefined || answer.inserted._tag === "Conflict") {
      return yield* new DuplicateIdempotencyKey({
        jobId: answer?.inserted.jobId ?? "",
        workflowType: workflow.name,
        key: answer?.job?.idempotencyKey ?? ""
      })
    }
    const { jobId } = answer.inserted
    const handle: JobHandle<Output, E> = {
      jobId,
      duplicate: answer.inserted._tag === "Duplicate",
      result: result(workflow, jobId)
    }
    return handle
  })

  const cancel = Effect.fn("Fleet.cancel")(function* (jobId: string, given: WishOptions = {}) {
    const { job } = yield* patiently(store.job(jobId))
    const recorded = Effect.gen(function* () {
      const { intents } = yield* patiently(
        store.commit({
          fence: null,
          at: instant(clock),
          intents: [
            {
              kind: "cancel",
              job: job.seq,
              host: null,
              value: null,
              reason: given.reason ?? "cancelled by its caller",
              actor: given.actor ?? actor,
              requested_at: instant(clock),
              request_id: given.requestId ?? null
            }
          ]
        })
      ).pipe(
        // An insert of an intent moves no row and carries no fence.
        Effect.catchTag(["ORCH_STORE_STALE", "ORCH_HOST_FENCED"], Effect.die)
      )
      const [intent] = intents
      if (intent === undefined) return yield* Effect.die("the store gave the intent no number")
      yield* patiently(options.look)
      return intent
    })
    // An answer that is lost, or a caller that is gone, doesn't undo what was written.
    const intent = yield* Effect.onError(recorded, () => options.unsure)
    const outcome = yield* orEnd(waiters.settled(intent))
    if (outcome !== "cancelled") {
      const now = yield* patiently(store.job(jobId))
      return yield* new CancelTooLate({ jobId: job.jobId, state: now.job.state })
    }
  })

  const service: Pick<FleetService, "submit" | "submitAll" | "await" | "cancel" | "events" | "lines"> = {
    submit,
    submitAll: Effect.fn("Fleet.submitAll")(function* (submissions: ReadonlyArray<Submission>, given = {}) {
      const traced = yield* Effect.forEach(submissions, inTrace)
      const answers = yield* orEnd(insert(traced, given.actor))
      return answers.map(({ inserted, job }) => submitted(inserted, job?.runAt ?? 0))
    }),
    await: over,
    cancel,
    lines: (jobId) =>
      Stream.unwrap(
        Effect.map(patiently(store.job(jobId)), ({ job }) => options.lines(job.seq)?.stream ?? Stream.empty)
      ),
    events: (given = {}) => {
      if (given.jobId === undefined) return options.feed.events(given.after, null)
      const seq = seqOf(store.id, given.jobId)
      return seq === undefined
        ? Stream.fail(new JobNotFound({ jobId: given.jobId }))
        : options.feed.events(given.after, seq)
    }
  }
  return service
})
