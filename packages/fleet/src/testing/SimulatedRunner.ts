/**
 * The agents of a simulation: each life works, writes its steps outside, and ends as the plan says.
 */
import type { Assignment, Markers, Runner } from "@muster/core"
import { Effect } from "effect"
import * as Once from "../adapters/Once.ts"
import { type LifeSeen, seqOfJob } from "./Outside.ts"
import type { End, Life, StepPlan, WorkflowPlan } from "./Plan.ts"
import { lifeOf, type Stage } from "./Stage.ts"

/** What agents fail with: the tag is the code. */
const failureOf = ({ code, retryAfterMillis }: Extract<End, { readonly _tag: "Fail" }>) => ({
  _tag: code,
  message: `planned ${code}`,
  ...(retryAfterMillis === null ? {} : { retryAfterMillis })
})

/** Works for so long, with a sign of life now and then. */
const work = Effect.fnUntraced(function* (millis: number, beatMillis: number, beat: () => void) {
  for (let left = millis; left > 0; left -= beatMillis) {
    beat()
    yield* Effect.sleep(Math.min(left, beatMillis))
  }
})

interface StepFailed {
  readonly _tag: "EXT_FLAKY"
  readonly message: string
  /** The step knows that it has done nothing. */
  readonly isNotDone: boolean
}

const stepFailed = (isNotDone: boolean): StepFailed => ({
  _tag: "EXT_FLAKY",
  message: "planned: a step fails",
  isNotDone
})

/** One step: half its time passes before it is done and half after. */
const step = ({ how, millis }: StepPlan, write: () => void): Effect.Effect<number, StepFailed> => {
  const half = Effect.sleep(millis / 2)
  const written = Effect.andThen(half, Effect.as(Effect.sync(write), 1))
  switch (how) {
    case "well":
      return Effect.tap(written, half)
    case "fails undone":
      return Effect.andThen(half, Effect.fail(stepFailed(true)))
    case "fails before":
      return Effect.andThen(half, Effect.fail(stepFailed(false)))
    case "fails after":
      return Effect.andThen(written, Effect.fail(stepFailed(false)))
    case "never":
      return Effect.andThen(written, Effect.never)
  }
}

const steps = Effect.fnUntraced(function* (
  stage: Stage,
  { steps: planned }: Life,
  seen: LifeSeen,
  assignment: Assignment,
  markers: Markers
) {
  const { outside, trace } = stage
  const { attempt } = assignment
  const once = Once.make(assignment, markers)
  for (const one of planned) {
    const { name, scope } = one
    const kept = scope === "job" ? name : `${name}@${attempt}`
    const begun = Effect.sync(() => {
      trace.tell("agent", () => `job ${seen.seq} life ${seen.incarnation} does step ${kept}: ${one.how}`)
      outside.beginStep(seen, kept)
    })
    const write = (): void => outside.write(seen, kept)
    yield* once(name, Effect.andThen(begun, step(one, write)), {
      scope,
      isNotDone: (failure) => failure.isNotDone
    })
  }
})

export const makeRunner = (stage: Stage, { silenceMillis }: WorkflowPlan): Runner => ({
  name: "simulated",
  run: (assignment, emit, markers) => {
    const { outside, trace } = stage
    const { incarnation } = assignment
    const seq = seqOfJob(assignment.jobId)
    const life = lifeOf(stage, seq, incarnation)
    const beat = () => emit({ _tag: "Heartbeat" })
    const beatMillis = Math.max(50, Math.floor(silenceMillis / 3))
    const ending = ({ end }: Life): Effect.Effect<unknown, unknown> => {
      switch (end._tag) {
        case "Succeed": {
          const result = { n: stage.numberOf(seq), life: incarnation }
          outside.brought.add(`${seq} ${JSON.stringify(result)}`)
          return Effect.succeed(result)
        }
        case "Empty":
          return Effect.void
        case "Misfit":
          return Effect.succeed({ n: "no number" })
        case "Fail":
          return Effect.fail(failureOf(end))
        case "Die":
          return Effect.die(new Error("planned death"))
        case "InterruptItself":
          return Effect.interrupt
        case "KillHost":
          return Effect.andThen(
            Effect.sync(() => stage.killHost()),
            Effect.never
          )
        case "Silent":
          return Effect.never
        case "Endless":
          return work(Number.POSITIVE_INFINITY, beatMillis, beat)
      }
    }
    return Effect.gen(function* () {
      const seen = yield* Effect.acquireRelease(
        Effect.sync(() => outside.begin(assignment)),
        (acquired) =>
          Effect.andThen(
            Effect.sleep(life.cleanUpMillis),
            Effect.sync(() => outside.end(acquired))
          )
      )
      yield* steps(stage, life, seen, assignment, markers)
      yield* work(life.workMillis, beatMillis, beat)
      // What was killed from outside says nothing more.
      if (!seen.alive) return yield* Effect.die(new Error("killed"))
      trace.tell("agent", () => `job ${seq} life ${incarnation}: ${life.end._tag}`)
      return yield* ending(life)
    }).pipe(Effect.onInterrupt(() => Effect.sleep(life.resistMillis)))
  }
})
