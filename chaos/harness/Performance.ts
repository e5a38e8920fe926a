/**
 * Plays a scenario on a stage of its own: what it does, then the end of all its jobs under a host, then the oracles.
 */
import { Cause, Effect, Exit, Result } from "effect"
import { judge } from "../oracles/Oracles.ts"
import { Broken, type Outcome, type Plan, type Scenario, Skipped, type Verdict } from "../Scenario.ts"
import * as Stage from "./Stage.ts"

/** What the table and a test can take in. */
const shown = 12

const perform = Effect.fnUntraced(function* (scenario: Scenario, stage: Stage.Stage, plan: Plan) {
  yield* scenario.play(stage, plan)
  if (stage.living().length === 0) {
    const host = yield* stage.start({ expectsWork: true })
    yield* host.heard("started")
  }
  yield* stage.everythingDone()
  yield* stage.stopAll
  yield* stage.look
  return yield* judge(stage.evidence)
})

const verdictOf = (
  exit: Exit.Exit<ReadonlyArray<string>, Broken | Skipped>,
  judged: ReadonlyArray<string>
): Verdict => {
  if (Exit.isSuccess(exit))
    return exit.value.length === 0
      ? { _tag: "Kept" }
      : { _tag: "Broken", details: exit.value.slice(0, shown) }
  const error = Cause.squash(exit.cause)
  if (error instanceof Skipped) return { _tag: "Skipped", reason: error.reason }
  const detail = error instanceof Broken ? error.detail : Cause.pretty(exit.cause)
  return { _tag: "Broken", details: [detail, ...judged].slice(0, shown) }
}

const ascending = (millis: ReadonlyArray<number>): ReadonlyArray<number> =>
  millis.map(Math.round).toSorted((a, b) => a - b)

/** Plays it and tells what came of it; it never fails. */
export const play = (
  scenario: Scenario,
  plan: Plan,
  options: Omit<Stage.StageOptions, "diskMebibytes"> = {}
): Effect.Effect<Outcome> =>
  Effect.gen(function* () {
    const began = performance.now()
    const { diskMebibytes, name, promise } = scenario
    const told = (verdict: Verdict, stage: Stage.Stage | null): Outcome => {
      const figures = stage?.figures() ?? { jobs: 0, kills: 0, remarks: [], restarts: [] }
      return {
        name,
        promise,
        verdict,
        kills: figures.kills,
        jobs: figures.jobs,
        seconds: Math.round((performance.now() - began) / 100) / 10,
        restarts: ascending(figures.restarts.map(({ own }) => own)),
        restartsWhole: ascending(figures.restarts.map(({ whole }) => whole)),
        remarks: figures.remarks
      }
    }
    const made = yield* Effect.result(
      Stage.make({ ...options, ...(diskMebibytes === undefined ? {} : { diskMebibytes }) })
    )
    if (Result.isFailure(made)) return told({ _tag: "Skipped", reason: made.failure.reason }, null)
    const stage = made.success
    const exit = yield* Effect.exit(perform(scenario, stage, plan))
    const isSkipped = Exit.isFailure(exit) && Cause.squash(exit.cause) instanceof Skipped
    // Where it broke half way, what the oracles say by then may tell why.
    const judged = Exit.isFailure(exit) && !isSkipped ? yield* judge(stage.evidence) : []
    return told(verdictOf(exit, judged), stage)
  }).pipe(Effect.scoped)
