/**
 * `muster submit`: one job into the store, whether or not a host runs.
 */
import {
  decodeSubmission,
  defaults,
  DuplicateIdempotencyKey,
  isoInstant,
  limits,
  type NewJob,
  PayloadTooLarge,
  PayloadTypeMismatch,
  Store,
  type Submission
} from "@muster/core"
import { Submissions, type Submitted } from "@muster/fleet"
import type { ControlClient } from "@muster/fleet/control"
import * as Clock from "effect/Clock"
import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { lacks, maxRetriesOf } from "../config/Configuration.ts"
import { configured } from "../config/Configured.ts"
import { anyHost, orStore } from "../hosts/LiveHosts.ts"
import { isTyped, readAll } from "../input/Stdin.ts"
import { type SubmissionDocument, submissionOf } from "../JobDocument.ts"
import { parsed } from "../json/Parsed.ts"
import type { SubmitJson } from "../json/SubmitJson.ts"
import { operator } from "../Operator.ts"
import { answer, type Page, talk } from "../output/Answer.ts"
import { relative } from "../output/Duration.ts"
import { paintState } from "../output/Style.ts"
import { oneLine } from "../output/Text.ts"
import { lineLimitBytes, parsed as parsedJson } from "../run/JobLine.ts"
import * as StoreFile from "../store/StoreFile.ts"
import { UsageError } from "../UsageError.ts"

interface Input {
  readonly payload: Option.Option<string>
  readonly workflow: Option.Option<string>
  readonly key: Option.Option<string>
  readonly priority: Option.Option<number>
  readonly maxRetries: Option.Option<number>
  readonly runAt: Option.Option<string>
  readonly correlationId: Option.Option<string>
}

const nameOf = (input: Input): string => Option.getOrElse(input.workflow, () => "the job")

const payloadText = Effect.fnUntraced(function* (input: Input) {
  const given = Option.getOrElse(input.payload, () => "-")
  if (given !== "-") return given
  if (Option.isNone(input.payload) && (yield* isTyped)) {
    return yield* new UsageError({
      message: "There is no payload.",
      hint: "Give it as JSON, or pipe it in: muster submit --workflow NAME '{\"n\":1}'"
    })
  }
  const text = yield* Effect.orDie(readAll(lineLimitBytes))
  if (text !== null) return text
  return yield* new PayloadTooLarge({ workflowType: nameOf(input), limitBytes: limits.payloadBytes })
})

/** The submission that is handed in whole, or that what is handed in is the payload of. */
const readDocument = Effect.fnUntraced(function* (input: Input) {
  const text = yield* payloadText(input)
  const value = text.trim() === "" ? Result.fail("it is empty, not JSON") : parsedJson(text)
  if (Result.isSuccess(value)) return submissionOf(value.success)
  return yield* new PayloadTypeMismatch({
    workflowType: nameOf(input),
    subject: "payload",
    path: "",
    detail: value.failure
  })
})

/** The flag wins over the field of a submission that was handed in whole. */
const flagged = (document: SubmissionDocument, input: Input): SubmissionDocument => ({
  ...document,
  ...Option.match(input.workflow, { onNone: () => ({}), onSome: (name) => ({ workflow_type: name }) }),
  ...Option.match(input.key, { onNone: () => ({}), onSome: (key) => ({ idempotency_key: key }) }),
  ...Option.match(input.priority, { onNone: () => ({}), onSome: (priority) => ({ priority }) }),
  ...Option.match(input.maxRetries, { onNone: () => ({}), onSome: (retries) => ({ max_retries: retries }) }),
  ...Option.match(input.runAt, { onNone: () => ({}), onSome: (instant) => ({ run_at: instant }) }),
  ...Option.match(input.correlationId, { onNone: () => ({}), onSome: (id) => ({ correlation_id: id }) })
})

const readSubmission = Effect.fnUntraced(function* (input: Input) {
  const document = flagged(yield* readDocument(input), input)
  if (document.workflow_type === undefined || document.workflow_type === null) {
    return yield* new UsageError({
      message: "The job has no workflow.",
      hint: "Say which kind of job it is: muster submit --workflow NAME …"
    })
  }
  const decoded = decodeSubmission(document)
  if (Result.isSuccess(decoded)) return decoded.success
  const { detail, path } = decoded.failure
  return yield* new UsageError({ message: `The submission is not valid at ${path}: ${detail}.`, hint: "" })
})

/** Stores the job, or finds the one that has its key. */
const byStore = Effect.fnUntraced(function* (job: NewJob, now: number) {
  const store = yield* Store
  const { inserted } = yield* store.commit({ fence: null, at: now, inserts: [job] })
  const [one] = inserted
  if (one === undefined) return yield* Effect.die(new Error("the store answered an insert with nothing"))
  const submitted: Submitted = {
    _tag: one._tag,
    jobId: one.jobId,
    state: one._tag === "Inserted" ? "PENDING" : one.state,
    runAt: one._tag === "Inserted" ? job.runAt : one.runAt
  }
  return submitted
})

const byHost = Effect.fnUntraced(function* (
  client: ControlClient.ControlClient,
  submission: Submission,
  job: NewJob
) {
  const [one] = yield* client.Submit({
    submissions: [{ ...submission, idempotencyKey: job.idempotencyKey }],
    actor: job.actor
  })
  return one ?? (yield* Effect.die(new Error("the host answered a submission with nothing")))
})

const insert = Effect.fnUntraced(function* (submission: Submission, job: NewJob, now: number) {
  const store = yield* Store
  const { answer: one, source } = yield* orStore(
    yield* anyHost(null),
    (client) => byHost(client, submission, job),
    byStore(job, now)
  )
  if (one._tag === "Conflict") {
    return yield* new DuplicateIdempotencyKey({
      jobId: one.jobId,
      workflowType: job.workflowType,
      key: job.idempotencyKey
    })
  }
  const isDone = one._tag === "Duplicate" && one.state === "COMPLETED"
  const document: SubmitJson = {
    job_id: one.jobId,
    workflow_type: submission.workflowType,
    idempotency_key: job.idempotencyKey,
    current_state: one.state,
    duplicate: one._tag === "Duplicate",
    run_at: isoInstant(one.runAt),
    result: isDone ? parsed((yield* store.job(one.jobId)).result) : null,
    source
  }
  return document
}, Effect.scoped)

const lines = (document: SubmitJson, page: Page): ReadonlyArray<string> => {
  const { current_state, duplicate, job_id } = document
  const due = Date.parse(document.run_at)
  const said = [
    job_id,
    paintState(page.style, current_state),
    ...(duplicate ? ["(was there already: nothing new was stored)"] : []),
    ...(current_state === "PENDING" && due > page.now ? [`due ${relative(due, page.now)}`] : [])
  ].join("  ")
  return document.result === null ? [said] : [said, JSON.stringify(document.result)]
}

export const submit = Effect.fnUntraced(function* (input: Input) {
  const submission = yield* readSubmission(input)
  const now = yield* Clock.currentTimeMillis
  const found = yield* configured
  const job = yield* Submissions.toNewJob(submission, {
    actor: yield* operator,
    now,
    maxRetries: (workflow) =>
      (found === null ? undefined : maxRetriesOf(found.configuration, workflow)) ?? defaults.maxRetries
  })
  // the store is opened, and made where there is none, only for a job that may be stored
  const document = yield* Effect.provide(insert(submission, job, now), StoreFile.layer("create"))
  yield* answer(document, (page) => lines(document, page))
  if (
    document.current_state === "PENDING" &&
    found !== null &&
    lacks(found.configuration, submission.workflowType)
  )
    yield* talk(
      oneLine(
        `${found.name} has no workflow "${submission.workflowType}": the job waits for a host that has it.`
      )
    )
}, Effect.provide(Digest.layerWebCrypto))
