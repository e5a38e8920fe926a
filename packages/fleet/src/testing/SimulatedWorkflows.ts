/**
 * The workflows of a plan, with a runner, workspaces, a gate and a lander that do in each life what the plan says.
 */
import {
  type Assignment,
  type Gate,
  type Lander,
  type LandingOrder,
  type Runner,
  Workflow,
  type Workspaces
} from "@muster/core"
import { Effect, Schema } from "effect"
import { type Outside, seqOfJob } from "./Outside.ts"
import type { Answer, End, Life, Plan, WorkflowPlan } from "./Plan.ts"
import type { Trace } from "./Trace.ts"

const Payload = Schema.Struct({ n: Schema.Int })
const Result = Schema.Struct({ n: Schema.Int, life: Schema.Int })

export type SimulatedWorkflow = Workflow.Workflow<typeof Payload.Type, typeof Result.Type>

/** What a life does of which the plan says nothing. */
const plain: Life = {
  prepare: "well",
  sentinel: "well",
  workMillis: 20,
  end: { _tag: "Succeed" },
  resistMillis: 0,
  cleanUpMillis: 0,
  gate: "well",
  land: "well",
  found: "truth",
  archive: "well",
  remove: "well"
}

/** Longer than the deadlines below allow. */
const slowMillis = 900
const deadlines = { prepare: 700, sentinel: 700, verify: 800, land: 800 }

/** Seen to open, and over soon. */
const breaker = { failures: 4, attempts: 6, window: "10 seconds", probe: "2 seconds" } as const

export interface Stage {
  readonly plan: Plan
  readonly outside: Outside
  readonly trace: Trace
  /** The plan's number of a job. */
  readonly numberOf: (seq: number) => number
}

/** What agents fail with: the tag is the code. */
const failureOf = ({ code, retryAfterMillis }: Extract<End, { readonly _tag: "Fail" }>) => ({
  _tag: code,
  message: `planned ${code}`,
  ...(retryAfterMillis === null ? {} : { retryAfterMillis })
})

const lifeOf = ({ numberOf, plan }: Stage, seq: number, incarnation: number): Life =>
  plan.jobs.find(({ n }) => n === numberOf(seq))?.lives[incarnation - 1] ?? plain

const broken = (what: string) => ({ _tag: "PlannedFailure", message: `planned: ${what} breaks` })

/** Goes as planned, then does what it is for. */
const answer = <A>(stage: Stage, what: string, how: Answer, act: () => A): Effect.Effect<A, unknown> =>
  Effect.suspend((): Effect.Effect<A, unknown> => {
    const count = stage.outside.count(what)
    stage.trace.tell("plugin", () => `${what}: ${how}`)
    switch (how) {
      case "well":
        return Effect.sync(act)
      case "slow":
        return Effect.andThen(Effect.sleep(slowMillis), Effect.sync(act))
      case "breaks":
        return Effect.fail(broken(what))
      case "breaks once":
        return count === 1 ? Effect.fail(broken(what)) : Effect.sync(act)
      case "throws":
        return Effect.die(new Error(`planned: ${what} throws`))
      case "never":
        return Effect.never
    }
  })

/** Works for so long, with a sign of life now and then. */
const work = Effect.fnUntraced(function* (millis: number, beatMillis: number, beat: () => void) {
  for (let left = millis; left > 0; left -= beatMillis) {
    beat()
    yield* Effect.sleep(Math.min(left, beatMillis))
  }
})

const makeRunner = (stage: Stage, { silenceMillis }: WorkflowPlan): Runner => ({
  name: "simulated",
  run: (assignment, emit) => {
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
      yield* work(life.workMillis, beatMillis, beat)
      // What was killed from outside says nothing more.
      if (!seen.alive) return yield* Effect.die(new Error("killed"))
      trace.tell("agent", () => `job ${seq} life ${incarnation}: ${life.end._tag}`)
      return yield* ending(life)
    }).pipe(Effect.onInterrupt(() => Effect.sleep(life.resistMillis)))
  }
})

const at = (ref: string) => ({ ref, path: `/simulated/${ref}` })

const makeWorkspaces = (stage: Stage, maker: string): Workspaces => {
  const { outside } = stage
  /** Whose place it is, as its reference says. */
  const lifeIn = (ref: string): Life => {
    const [, seq, incarnation] = ref.split("-").map(Number)
    return lifeOf(stage, seq ?? 0, incarnation ?? 0)
  }
  return {
    name: "simulated",
    prepare: ({ incarnation, jobId, previous }) => {
      const seq = seqOfJob(jobId)
      const how = lifeOf(stage, seq, incarnation).prepare
      return answer(stage, `prepare job ${seq} life ${incarnation}`, how, () =>
        at(outside.prepare(seq, incarnation, previous, maker))
      )
    },
    check: ({ ref }) => answer(stage, `check ${ref}`, lifeIn(ref).sentinel, () => undefined),
    find: (ref) => Effect.sync(() => (outside.places.has(ref) ? at(ref) : null)),
    archive: ({ ref }) =>
      answer(stage, `archive ${ref}`, lifeIn(ref).archive, () => {
        outside.archive(ref)
        return [`archive/${ref}`]
      }),
    remove: (ref) => {
      const how = lifeIn(ref).remove
      if (how === "keeps")
        return Effect.succeed({ _tag: "Kept", at: `/kept/${ref}`, reason: "it is dirty" } as const)
      return answer(stage, `remove ${ref}`, how, () => {
        outside.remove(ref)
        return { _tag: "Removed" } as const
      })
    }
  }
}

const makeGate = (stage: Stage): Gate => ({
  name: "simulated",
  check: ({ incarnation, jobId }: Assignment, result) => {
    const seq = seqOfJob(jobId)
    const how = lifeOf(stage, seq, incarnation).gate
    const pass = () => {
      stage.outside.passed.add(`${seq} ${result}`)
      return { _tag: "Pass" } as const
    }
    if (how === "rejects") return Effect.succeed({ _tag: "Reject", reasons: ["planned"] } as const)
    return answer(stage, `gate of job ${seq} life ${incarnation}`, how, pass)
  }
})

const fenced = (seq: number) => Effect.fail({ _tag: "PlannedFailure", message: `job ${seq}: an older token` })

const makeLander = (stage: Stage): Lander => {
  const { outside } = stage
  const landed = { _tag: "Landed", reference: null } as const
  const conflict = { _tag: "Conflict", detail: "planned" } as const
  const land = ({
    assignment,
    fencingToken,
    result
  }: LandingOrder): Effect.Effect<typeof landed | typeof conflict, unknown> => {
    const { incarnation, jobId } = assignment
    const seq = seqOfJob(jobId)
    const what = `land job ${seq} life ${incarnation}`
    const effect = (): typeof landed | typeof conflict => {
      outside.land(seq, result)
      return landed
    }
    /** The token is looked at where the effect happens. */
    const when = (act: () => Effect.Effect<typeof landed | typeof conflict, unknown>) =>
      Effect.suspend(() => (outside.admits(seq, fencingToken) ? act() : fenced(seq)))
    const how = lifeOf(stage, seq, incarnation).land
    stage.trace.tell("plugin", () => `${what}: ${how}`)
    switch (how) {
      case "conflicts":
        return Effect.succeed(conflict)
      case "conflicts once":
        return outside.count(what) === 1 ? Effect.succeed(conflict) : when(() => Effect.sync(effect))
      case "fails after":
        return when(() => Effect.andThen(Effect.sync(effect), Effect.fail(broken(what))))
      case "never after":
        return when(() => Effect.andThen(Effect.sync(effect), Effect.never))
      case "slow":
        return Effect.andThen(
          Effect.sleep(slowMillis),
          when(() => Effect.sync(effect))
        )
      default:
        return when(() => answer(stage, what, how, effect))
    }
  }
  return {
    name: "simulated",
    land,
    check: ({ assignment, fencingToken }) =>
      Effect.suspend((): Effect.Effect<"landed" | "absent" | "unknown", unknown> => {
        const seq = seqOfJob(assignment.jobId)
        const { found } = lifeOf(stage, seq, assignment.incarnation)
        stage.trace.tell("plugin", () => `has job ${seq} landed: ${found}, ${outside.landed.has(seq)}`)
        if (!outside.admits(seq, fencingToken)) return fenced(seq)
        if (found === "breaks") return Effect.fail(broken(`check of job ${seq}`))
        return Effect.succeed(found === "unknown" ? found : outside.landed.has(seq) ? "landed" : "absent")
      })
  }
}

/** The workflows as the host in this process defines them. */
export const makeWorkflows = (stage: Stage, maker: string): ReadonlyMap<string, SimulatedWorkflow> =>
  new Map(
    stage.plan.workflows.map((planned) => [
      planned.name,
      Workflow.make(planned.name, {
        payload: Payload,
        result: Result,
        runner: makeRunner(stage, planned),
        workspace: planned.workspace ? makeWorkspaces(stage, maker) : "none",
        gates: planned.gate ? [makeGate(stage)] : [],
        lander: planned.lander ? makeLander(stage) : "keep",
        silence: planned.silenceMillis,
        silenceCap: planned.silenceMillis * 2,
        breaker,
        deadlines: { ...deadlines, work: planned.workMillis }
      })
    ])
  )
