// A job's spans are one trace: that of its submission, whichever incarnation and whichever host works on it.
import { assert, describe, it } from "@effect/vitest"
import { Workflow } from "@muster/core"
import { ScriptedRunner } from "@muster/core/testing"
import { Effect, Exit, Logger, Option, References, Schema, Tracer } from "effect"
import { TestClock } from "effect/testing"
import { scriptedWorkflow } from "../fleet/Scripted.ts"
import * as World from "../fleet/World.ts"

const { fail, succeed, waitFor } = ScriptedRunner

const traceId = "0af7651916cd43dd8448eb211c80319c"
const traceContext = `00-${traceId}-b7ad6b7169203331-01`
const codes = [{ code: "EXT_FLAKY", backoffBaseSeconds: 1, jitter: 0 }]

/** A tracer that keeps everything. */
const keeper = () => {
  const spans: Array<Tracer.NativeSpan> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  const named = (name: string) => spans.filter((span) => span.name === name)
  return { tracer, named, spans }
}

const parentOf = (span: Tracer.NativeSpan | undefined) =>
  span === undefined ? undefined : Option.getOrUndefined(span.parent)?.spanId

const exitOf = (span: Tracer.NativeSpan | undefined) =>
  span?.status._tag === "Ended" ? span.status.exit : undefined

describe("the spans of a job", () => {
  it.effect(
    "are in the trace of its envelope: phases below incarnations, a retry linked to what it repeats",
    () =>
      Effect.gen(function* () {
        const { named, spans, tracer } = keeper()
        const { work } = scriptedWorkflow(({ attempt }) =>
          attempt === 1 ? [fail("EXT_FLAKY")] : [succeed(1)]
        )
        const world = yield* World.make
        const { fleet } = yield* world
          .host({ workflows: [work], codes })
          .pipe(Effect.provideService(Tracer.Tracer, tracer))
        const job = yield* fleet.submit(work, 1, { traceContext })
        yield* World.happened(fleet, ({ event }) => event === "schedule_retry")
        yield* TestClock.adjust("10 seconds")
        yield* job.result
        yield* World.happened(fleet, ({ event }) => event === "clean")

        const [first, second] = named("Agent.incarnation")
        const phases = named("Agent.work")
        assert.strictEqual(named("Agent.incarnation").length, 2)
        for (const span of spans.filter(({ name }) => name.startsWith("Agent."))) {
          assert.strictEqual(span.traceId, traceId, span.name)
          assert.strictEqual(span.status._tag, "Ended", span.name)
        }
        assert.deepStrictEqual([parentOf(first), parentOf(second)], ["b7ad6b7169203331", "b7ad6b7169203331"])
        assert.deepStrictEqual(phases.map(parentOf), [first?.spanId, second?.spanId])
        assert.deepStrictEqual(
          second?.links.map(({ attributes, span }) => [span.spanId, attributes["muster.link"]]),
          [[first?.spanId, "retry_of"]]
        )
        assert.deepInclude(Object.fromEntries(second?.attributes ?? []), {
          "muster.job_id": job.jobId,
          "muster.agent_id": `agent:${job.jobId}`,
          "muster.workflow_type": "work",
          "muster.incarnation": 2,
          "muster.attempt": 2
        })
        // The failure that burned the first attempt, and nothing of it in the second.
        const failed = exitOf(phases[0])
        assert.isTrue(failed !== undefined && Exit.isFailure(failed))
        assert.strictEqual(first?.attributes.get("muster.error_code"), "EXT_FLAKY")
        assert.isTrue(Exit.isSuccess(exitOf(second) ?? Exit.fail("open")))
        assert.isUndefined(second?.attributes.get("muster.error_code"))
      })
  )

  it.effect(
    "begin below the span that submitted it, where none is named, and below their own for one of many",
    () =>
      Effect.gen(function* () {
        const { named, tracer } = keeper()
        const { work } = scriptedWorkflow(() => [succeed(1)])
        const world = yield* World.make
        const { fleet } = yield* world
          .host({ workflows: [work] })
          .pipe(Effect.provideService(Tracer.Tracer, tracer))
        const job = yield* fleet
          .submit(work, 1)
          .pipe(Effect.withSpan("checkout"), Effect.provideService(Tracer.Tracer, tracer))
        yield* job.result
        const many = yield* fleet
          .submitAll([2, 3].map((payload) => ({ workflowType: "work", payload })))
          .pipe(Effect.withSpan("batch"), Effect.provideService(Tracer.Tracer, tracer))
        yield* World.happened(fleet, ({ event }) => event === "clean", 3)

        const [submit] = named("Fleet.submit")
        const [own, ...others] = named("Agent.incarnation")
        assert.strictEqual(submit?.traceId, named("checkout")[0]?.traceId)
        assert.deepStrictEqual([own?.traceId, parentOf(own)], [submit?.traceId, submit?.spanId])
        assert.strictEqual(many.length, 2)
        const ones = named("Fleet.submitOne")
        assert.sameMembers(
          others.map(parentOf),
          ones.map(({ spanId }) => spanId)
        )
        assert.strictEqual(new Set(ones.map((span) => span.traceId)).size, 2)
        for (const one of ones)
          assert.strictEqual(one.links[0]?.span.spanId, named("Fleet.submitAll")[0]?.spanId)
        // It is in the envelope, so that any host finds it.
        const { job: stored } = yield* world.store.job(job.jobId)
        assert.strictEqual(stored.traceContext, `00-${submit?.traceId}-${submit?.spanId}-01`)
      })
  )

  it.effect("are one trace even if nobody named one, on every host and for every incarnation", () =>
    Effect.gen(function* () {
      const { named, tracer } = keeper()
      const { scripted, work } = scriptedWorkflow(({ incarnation }) =>
        incarnation === 1 ? [waitFor("never")] : [succeed(1)]
      )
      const world = yield* World.make
      // Submitted where nobody listens.
      const [first] = yield* world.store
        .commit({
          fence: null,
          at: 0,
          inserts: [1, 2].map((n) => ({
            workflowType: "work",
            idempotencyKey: String(n),
            payloadFingerprint: String(n),
            payload: String(n),
            priority: 0,
            runAt: 0,
            maxRetries: 4,
            correlationId: null,
            traceContext: null,
            replayOf: null,
            actor: "operator:test"
          }))
        })
        .pipe(Effect.map(({ inserted }) => inserted))
      const start = world.host({ workflows: [work] }).pipe(Effect.provideService(Tracer.Tracer, tracer))
      const one = yield* start
      yield* scripted.started(2)
      yield* one.stop
      const two = yield* start
      yield* World.happened(two.fleet, ({ event }) => event === "clean", 2)
      const traces = new Map<unknown, Set<string>>()
      for (const span of named("Agent.incarnation")) {
        const jobId = span.attributes.get("muster.job_id")
        traces.set(jobId, (traces.get(jobId) ?? new Set()).add(span.traceId))
        assert.match(span.traceId, /^[0-9a-f]{32}$/)
        assert.strictEqual(span.status._tag, "Ended")
      }
      assert.strictEqual(traces.size, 2)
      assert.strictEqual(traces.get(first?.jobId)?.size, 1)
      assert.strictEqual(new Set(Array.from(traces.values(), ([id]) => id)).size, 2)
    })
  )

  it.effect("of an agent that is a function nest in its phase, and what it logs says whose it is", () =>
    Effect.gen(function* () {
      const { named, tracer } = keeper()
      const lines: Array<unknown> = []
      const logger = Logger.make(({ fiber, message }) => {
        lines.push([message, fiber.getRef(References.CurrentLogAnnotations)])
      })
      const work = Workflow.make("work", {
        payload: Schema.Int,
        result: Schema.Int,
        run: (n) =>
          Effect.as(
            Effect.withSpan(Effect.provide(Effect.log("thinking"), Logger.layer([logger])), "think"),
            n
          )
      })
      const world = yield* World.make
      const { fleet } = yield* world
        .host({ workflows: [work] })
        .pipe(Effect.provideService(Tracer.Tracer, tracer))
      const job = yield* fleet.submit(work, 1, { traceContext })
      yield* job.result
      const [think] = named("think")
      assert.deepStrictEqual([think?.traceId, parentOf(think)], [traceId, named("Agent.work")[0]?.spanId])
      const annotations = {
        "muster.job_id": job.jobId,
        "muster.agent_id": `agent:${job.jobId}`,
        "muster.workflow_type": "work",
        "muster.incarnation": 1
      }
      assert.deepStrictEqual(lines, [[["thinking"], annotations]])
    })
  )

  it.effect("end with a host that stops, and none is kept that its submitter didn't want kept", () =>
    Effect.gen(function* () {
      const { named, spans, tracer } = keeper()
      const { scripted, work } = scriptedWorkflow(() => [waitFor("never")])
      const world = yield* World.make
      const host = yield* world.host({ workflows: [work] }).pipe(Effect.provideService(Tracer.Tracer, tracer))
      yield* host.fleet.submit(work, 1, { traceContext: traceContext.replace(/01$/, "00") })
      yield* scripted.started(1)
      yield* host.stop
      const [span] = named("Agent.incarnation")
      assert.isFalse(span?.sampled)
      for (const one of spans) assert.strictEqual(one.status._tag, "Ended", one.name)
    })
  )
})
