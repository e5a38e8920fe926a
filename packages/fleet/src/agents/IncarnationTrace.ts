/**
 * The spans of an incarnation and of its phases, in the job's trace; only where a tracer listens, since a span costs more than a no-op job.
 * They end with the incarnation, whose slot bounds them: none lives as long as its job.
 */
import { agentId, type Job, type Phase, type Signal } from "@muster/core"
import { Clock, Context, Effect, Exit, LogLevel, Option, References, Tracer } from "effect"
import * as TraceContext from "../observability/TraceContext.ts"
import type { Incarnation } from "./Incarnation.ts"

/** The span of one life. */
export interface IncarnationTrace {
  /** Runs a phase in a span of its own; what the agent hands on as TRACEPARENT is of this span. */
  readonly phase: (effect: Effect.Effect<Signal>) => Effect.Effect<Signal>
  /** Its life is over. */
  readonly end: () => void
}

interface Tracing {
  /** A phase of a living incarnation: told of by its logs, and by its span where one is kept. */
  readonly inPhase: (life: Incarnation, effect: Effect.Effect<Signal>) => Effect.Effect<Signal>
  /** Null where nobody listens. */
  readonly begin: (life: Incarnation) => IncarnationTrace | null
  /** A phase after the incarnation's end: archive, clean. */
  readonly after: (job: Job, name: Phase, effect: Effect.Effect<Signal>) => Effect.Effect<Signal>
}

/** Of jobs that an incarnation has worked on here, so many spans are remembered for the next one to link to. */
const mostRemembered = 1_000

/** What a signal says of its phase, as a span's end has it: a failure has its code for a name, and no stack of ours. */
const outcomeOf = (exit: Exit.Exit<Signal>): Exit.Exit<unknown, unknown> => {
  if (!Exit.isSuccess(exit) || !("failure" in exit.value)) return exit
  const { code, message } = exit.value.failure
  const error = new Error(message)
  error.name = code
  error.stack = `${code}: ${message}`
  return Exit.fail(error)
}

const attributesOf = (job: Job, incarnation: number) => ({
  "muster.job_id": job.jobId,
  "muster.agent_id": agentId(job.jobId),
  "muster.workflow_type": job.workflowType,
  "muster.incarnation": incarnation
})

/** What is logged of an agent says of which. */
export const annotated = <A>(job: Job, incarnation: number, effect: Effect.Effect<A>): Effect.Effect<A> =>
  Effect.annotateLogs(effect, attributesOf(job, incarnation))

/** Reads once whether somebody listens. */
export const make = Effect.gen(function* () {
  const around = yield* References.CurrentLogAnnotations
  // As `annotated`, for half of the price: a phase of a no-op job takes little longer.
  const inPhase: Tracing["inPhase"] = (life, effect) =>
    Effect.provideService(life.trace?.phase(effect) ?? effect, References.CurrentLogAnnotations, {
      ...around,
      ...attributesOf(life.job, life.number)
    })
  if (!(yield* TraceContext.listens)) {
    const silent: Tracing = {
      inPhase,
      begin: () => null,
      after: (job, _name, effect) => annotated(job, job.agent?.incarnation ?? 1, effect)
    }
    return silent
  }
  const tracer = yield* Tracer.Tracer
  const clock = yield* Clock.Clock
  const isKept = !LogLevel.isGreaterThan(yield* Tracer.MinimumTraceLevel, "Info")
  const remembered = new Map<number, Tracer.ExternalSpan>()

  const spanOf = (
    name: string,
    job: Job,
    incarnation: number,
    parent: Tracer.AnySpan,
    links: Array<Tracer.SpanLink> = []
  ): Tracer.Span => {
    const span = tracer.span({
      name,
      parent: Option.some(parent),
      annotations: Context.empty(),
      links,
      startTime: clock.currentTimeNanosUnsafe(),
      kind: "internal",
      root: false,
      sampled: isKept && parent.sampled
    })
    for (const [key, value] of Object.entries(attributesOf(job, incarnation))) span.attribute(key, value)
    return span
  }

  const end = (span: Tracer.Span, outcome: Exit.Exit<unknown, unknown>): void =>
    span.end(clock.currentTimeNanosUnsafe(), outcome)

  /** The phase inside its span; `told`: what came of it. */
  const within = (
    span: Tracer.Span,
    effect: Effect.Effect<Signal>,
    told: (outcome: Exit.Exit<unknown, unknown>, code: string | null) => void
  ) =>
    Effect.onExit(Effect.withParentSpan(effect, span), (exit) =>
      Effect.sync(() => {
        const outcome = outcomeOf(exit)
        const code = Exit.isSuccess(exit) && "failure" in exit.value ? exit.value.failure.code : null
        if (code !== null) span.attribute("muster.error_code", code)
        end(span, outcome)
        told(outcome, code)
      })
    )

  const linkTo = (seq: number | null, relation: "retry_of" | "replay_of" | "end_of") => {
    const span = seq === null ? undefined : remembered.get(seq)
    return span === undefined ? [] : [{ span, attributes: { "muster.link": relation } }]
  }

  const remember = (seq: number, { sampled, spanId, traceId }: Tracer.Span): void => {
    remembered.delete(seq)
    remembered.set(seq, Tracer.externalSpan({ spanId, traceId, sampled }))
    if (remembered.size <= mostRemembered) return
    const [oldest] = remembered.keys()
    if (oldest !== undefined) remembered.delete(oldest)
  }

  const begin = (life: Incarnation): IncarnationTrace => {
    const { job } = life
    const links = linkTo(job.seq, "retry_of")
    const earlier = links.length > 0 ? links : linkTo(job.replayOf, "replay_of")
    const span = spanOf("Agent.incarnation", job, life.number, TraceContext.ofJob(job), earlier)
    span.attribute("muster.attempt", job.retryCount + 1)
    span.attribute("muster.correlation_id", job.correlationId)
    remember(job.seq, span)
    let outcome: Exit.Exit<unknown, unknown> = Exit.void
    return {
      phase: (effect) =>
        Effect.suspend(() => {
          const { phase } = life.vitals
          const inner = spanOf(`Agent.${phase}`, life.job, life.number, span)
          inner.attribute("muster.phase", phase)
          life.traceContext = TraceContext.format(inner)
          return within(inner, effect, (ended, code) => {
            outcome = ended
            if (code !== null) span.attribute("muster.error_code", code)
          })
        }),
      end: () => end(span, outcome)
    }
  }

  const tracing: Tracing = {
    inPhase,
    begin,
    after: (job, name, effect) =>
      Effect.suspend(() => {
        const number = job.agent?.incarnation ?? 1
        const span = spanOf(`Agent.${name}`, job, number, TraceContext.ofJob(job), linkTo(job.seq, "end_of"))
        span.attribute("muster.phase", name)
        return annotated(
          job,
          number,
          within(span, effect, () => undefined)
        )
      })
  }
  return tracing
})
