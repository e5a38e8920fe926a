/**
 * What the plugins of a simulated host share: the plan that they follow, and the world outside that they act on.
 */
import { Effect } from "effect"
import type { Outside } from "./Outside.ts"
import type { Answer, Life, Plan } from "./Plan.ts"
import type { Trace } from "./Trace.ts"

export interface Stage {
  readonly plan: Plan
  readonly outside: Outside
  readonly trace: Trace
  /** Milliseconds after the beginning. */
  readonly now: () => number
  /** The plan's number of a job. */
  readonly numberOf: (seq: number) => number
  /** The process that the plugins run in. */
  readonly maker: string
  /** The host of these plugins dies in this moment. */
  readonly killHost: () => void
}

/** What a life does of which the plan says nothing. */
const plain: Life = {
  prepare: "well",
  sentinel: "well",
  steps: [],
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

/** Longer than `phaseMillis` allow, in milliseconds. */
export const slowMillis = 900

export const lifeOf = ({ numberOf, plan }: Stage, seq: number, incarnation: number): Life =>
  plan.jobs.find(({ n }) => n === numberOf(seq))?.lives[incarnation - 1] ?? plain

export const broken = (what: string) => ({ _tag: "PlannedFailure", message: `planned: ${what} breaks` })

/** A plugin's long waits may be interrupted, also where what it acquires may not. */
const slow = Effect.interruptible(Effect.sleep(slowMillis))

const goes = <A>(stage: Stage, what: string, how: Answer, act: () => A): Effect.Effect<A, unknown> => {
  const count = stage.outside.count(what)
  stage.trace.tell("plugin", () => `${what}: ${how}`)
  switch (how) {
    case "well":
      return Effect.sync(act)
    case "slow":
      return Effect.andThen(slow, Effect.sync(act))
    case "breaks":
      return Effect.fail(broken(what))
    case "breaks once":
      return count === 1 ? Effect.fail(broken(what)) : Effect.sync(act)
    case "throws":
      return Effect.die(new Error(`planned: ${what} throws`))
    case "never":
      return Effect.interruptible(Effect.never)
  }
}

/** Something of a call is open for as long as it takes. */
export const open = <A, E, R>({ maker, outside }: Stage, call: Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => outside.hold(maker)),
    () => call,
    () => Effect.sync(() => outside.letGo(maker))
  )

/** Goes as planned, then does what it is for. */
export const answer = <A>(stage: Stage, what: string, how: Answer, act: () => A): Effect.Effect<A, unknown> =>
  open(
    stage,
    Effect.suspend(() => goes(stage, what, how, act))
  )
