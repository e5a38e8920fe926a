/** The gate of a simulation: it passes, rejects or breaks as the plan says of the life that it judges. */
import type { Assignment, Gate } from "@muster/core"
import { Effect } from "effect"
import { seqOfJob } from "./Outside.ts"
import { answer, lifeOf, type Stage } from "./Stage.ts"

export const makeGate = (stage: Stage): Gate => ({
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
