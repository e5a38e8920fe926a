/**
 * The trace of a job: the one that it was submitted in (`trace_context`, a W3C traceparent), else one of its own. Jobs outlive processes, so
 * no span stands for a whole job: what an incarnation does hangs below the span of the submission, which is over.
 */
import { Effect, Option, Tracer } from "effect"
import * as Headers from "effect/http/Headers"
import * as HttpTraceContext from "effect/http/HttpTraceContext"

/** Whether somebody keeps spans: the default tracer does it for nobody, and a span costs more than a no-op job. */
export const listens: Effect.Effect<boolean> = Effect.map(
  Tracer.Tracer,
  (tracer) => tracer !== Tracer.Tracer.defaultValue()
)

export const format = ({ sampled, spanId, traceId }: Tracer.AnySpan): string =>
  `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`

/** Undefined for what is no traceparent. */
const parse = (traceparent: string): Tracer.ExternalSpan | undefined =>
  Option.getOrUndefined(HttpTraceContext.w3c(Headers.fromRecordUnsafe({ traceparent })))

/** 32 bits of a text, as 8 hex digits; `lane` gives others (MurmurHash3's steps; Austin Appleby, public domain). */
const hash = (text: string, lane: number): string => {
  let h = Math.imul(lane + 1, 0x9e3779b9)
  for (let index = 0; index < text.length; index++) {
    const k = Math.imul(text.charCodeAt(index), 0xcc9e2d51)
    h ^= Math.imul((k << 15) | (k >>> 17), 0x1b873593)
    h = Math.imul((h << 13) | (h >>> 19), 5) + 0xe6546b64
  }
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return ((h ^ (h >>> 16)) >>> 0).toString(16).padStart(8, "0")
}

/** The trace of a job that was submitted without one: every host finds the same by the job's id, and nothing is stored. */
const own = (jobId: string): Tracer.ExternalSpan => {
  const digits = (...lanes: ReadonlyArray<number>) => lanes.map((lane) => hash(jobId, lane)).join("")
  return Tracer.externalSpan({ traceId: digits(0, 1, 2, 3), spanId: digits(4, 5) })
}

/** What the spans of a job hang below. */
export const ofJob = (job: {
  readonly jobId: string
  readonly traceContext: string | null
}): Tracer.ExternalSpan => (job.traceContext === null ? undefined : parse(job.traceContext)) ?? own(job.jobId)

/** A job that is submitted where spans are kept, and without a trace: it belongs to the span around it, where that is kept itself. */
export const ofCaller: Effect.Effect<string | undefined> = Effect.flatMap(listens, (heard) =>
  heard
    ? Effect.map(Effect.option(Effect.currentSpan), (span) =>
        Option.isSome(span) && span.value.sampled ? format(span.value) : undefined
      )
    : Effect.undefined
)

/** As above for one of many: each gets a short span of its own, the root of its trace, with a link to the span around them. */
export const ofEach = (workflowType: string): Effect.Effect<string | undefined> =>
  Effect.flatMap(listens, (heard) =>
    heard
      ? Effect.flatMap(Effect.option(Effect.currentSpan), (batch) =>
          Effect.useSpan(
            "Fleet.submitOne",
            {
              root: true,
              // Whoever hands the jobs in may do so where little is kept: their traces are kept all the same.
              level: "Info",
              kind: "producer",
              attributes: { "muster.workflow_type": workflowType },
              links:
                Option.isSome(batch) && batch.value.sampled ? [{ span: batch.value, attributes: {} }] : []
            },
            (span) => Effect.succeed(span.sampled ? format(span) : undefined)
          )
        )
      : Effect.undefined
  )
