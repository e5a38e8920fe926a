/**
 * A span around each phase of an incarnation, under the job's `trace_context`; only where a tracer listens, since a span costs more
 * than a no-op job.
 */
import { Effect, Tracer } from "effect"
import * as Headers from "effect/http/Headers"
import * as HttpTraceContext from "effect/http/HttpTraceContext"
import type { Incarnation } from "./Incarnation.ts"

export type PhaseSpan = <A, E, R>(
  life: Incarnation,
  phase: string,
  effect: Effect.Effect<A, E, R>
) => Effect.Effect<A, E, R>

/** The traceparent that the agent hands on: of the span around it, else as it was submitted. */
const traceparent = (life: Incarnation): Effect.Effect<void> =>
  Effect.map(Effect.currentParentSpan, (span) => {
    life.traceContext = `00-${span.traceId}-${span.spanId}-${span.sampled ? "01" : "00"}`
  }).pipe(Effect.ignore)

/** Reads once whether somebody listens: the default tracer keeps spans for nobody. */
export const make = Effect.map(Tracer.Tracer, (tracer): PhaseSpan => {
  if (tracer === Tracer.Tracer.defaultValue()) return (_life, _phase, effect) => effect
  return (life, phase, effect) => {
    const { job } = life
    const submitted = job.traceContext
    const parent =
      submitted === null
        ? undefined
        : HttpTraceContext.w3c(Headers.fromRecordUnsafe({ traceparent: submitted }))
    const attributes = {
      "muster.job_id": job.jobId,
      "muster.workflow_type": job.workflowType,
      "muster.incarnation": life.number,
      "muster.attempt": job.retryCount + 1
    }
    const traced = Effect.andThen(traceparent(life), effect)
    return Effect.withSpan(traced, `Agent.${phase}`, {
      attributes,
      root: parent === undefined || parent._tag === "None",
      ...(parent !== undefined && parent._tag === "Some" ? { parent: parent.value } : {})
    })
  }
})
