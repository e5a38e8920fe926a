/**
 * What a caller hands in to get a job: the seed's names in JSON, each field within its limit (R36).
 */
import { DateTime, Option, Result, Schema, SchemaGetter } from "effect"
import { limits } from "./Defaults.ts"
import { mismatch } from "./Mismatch.ts"
import type { Mismatch } from "./WorkflowPolicy.ts"

/** A name: something to read, without control characters and without space around it. */
export const name = (maximum: number) =>
  Schema.String.check(
    Schema.isBetweenLength(1, maximum),
    Schema.isPattern(/^[^\p{Cc}\s](?:[^\p{Cc}]*[^\p{Cc}\s])?$/u, {
      expected: "a text without control characters and without space around it"
    })
  )

const isoInstant = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/

/** Whether the month has the day: a 31st of February would be taken for a day of March. */
const isDay = (day: string): boolean =>
  Option.exists(DateTime.make(`${day}T00:00:00Z`), (at) => DateTime.formatIsoDateUtc(at) === day)

const parseInstant = (text: string): Option.Option<number> =>
  isoInstant.test(text) && isDay(text.slice(0, 10))
    ? Option.map(DateTime.make(text), DateTime.toEpochMillis)
    : Option.none()

/** An instant as ISO 8601 with its offset in JSON, as epoch milliseconds in code. */
export const Instant = Schema.String.pipe(
  Schema.refine((text): text is string => Option.isSome(parseInstant(text)), {
    expected: "an instant in ISO 8601 with Z or an offset"
  }),
  Schema.decodeTo(Schema.Int, {
    decode: SchemaGetter.transform((text: string) => Option.getOrElse(parseInstant(text), () => 0)),
    encode: SchemaGetter.transform((millis: number) => DateTime.formatIso(DateTime.makeUnsafe(millis)))
  })
)

/** https://www.w3.org/TR/trace-context/: version, trace id, parent id, flags; all-zero ids are not valid. */
export const Traceparent = Schema.String.check(
  Schema.isPattern(/^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/, {
    expected: "a W3C traceparent"
  })
)

/** Every field but two may be left out, or be null, which is the same. */
const optional = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

export const Submission = Schema.Struct({
  /** The name of the workflow. */
  workflowType: name(limits.workflowTypeLength),
  /** Left out: a hash of workflow and payload. */
  idempotencyKey: optional(name(limits.keyLength)),
  /** Larger first; left out: 0. */
  priority: optional(
    Schema.Int.check(Schema.isBetween({ minimum: -limits.priority, maximum: limits.priority }))
  ),
  /** Retries after the first attempt; left out: the workflow's. */
  maxRetries: optional(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: limits.maxRetries }))),
  /** Not before this instant; left out: now. */
  runAt: optional(Instant),
  /** Left out: the job's id. */
  correlationId: optional(name(limits.keyLength)),
  /** The parent of the job's spans; left out: none. */
  traceContext: optional(Traceparent),
  /** Encoded; the workflow's schema decodes it before any attempt. Its size is checked where it is stored. */
  payload: Schema.Unknown
}).pipe(
  Schema.encodeKeys({
    workflowType: "workflow_type",
    idempotencyKey: "idempotency_key",
    maxRetries: "max_retries",
    runAt: "run_at",
    correlationId: "correlation_id",
    traceContext: "trace_context"
  })
)
export type Submission = typeof Submission.Type

const decodeUnknown = Schema.decodeUnknownResult(Submission, { onExcessProperty: "error" })

const decodeMade = Schema.decodeUnknownResult(Schema.toType(Submission), { onExcessProperty: "error" })

/** Holds a submission that a program has made to the same limits. One that names its workflow and its payload alone costs nothing. */
export const check = (made: Submission): Result.Result<Submission, Mismatch> =>
  Object.keys(made).length === 2 ? Result.succeed(made) : Result.mapError(decodeMade(made), mismatch)

/** A submission from JSON; the mismatch names the place in the caller's own names. */
export const decode = (input: unknown): Result.Result<Submission, Mismatch> =>
  Result.mapError(decodeUnknown(input), mismatch)
