/**
 * The lander of a simulation: its target counts what lands, looks at the fencing token, and conflicts, fails or falls silent before or after
 * the effect as the plan says.
 */
import type { Lander, LandingOrder } from "@muster/core"
import { Effect } from "effect"
import { epochOf, seqOfJob } from "./Outside.ts"
import { answer, broken, lifeOf, open, slowMillis, type Stage } from "./Stage.ts"

const fenced = (seq: number) => Effect.fail({ _tag: "PlannedFailure", message: `job ${seq}: an older token` })

export const makeLander = (stage: Stage): Lander => {
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
    outside.beginLanding(seq, incarnation, epochOf(assignment.token))
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
    land: (order) =>
      open(
        stage,
        Effect.suspend(() => land(order))
      ),
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
