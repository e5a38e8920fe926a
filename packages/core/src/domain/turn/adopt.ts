/**
 * A row that an ended epoch owns: its work is handed back, or what it still owes is taken over (R11, R23, R27).
 */
import { LandingUnknown } from "../errors/AttemptErrors.ts"
import { fromError } from "../Failure.ts"
import type { Job } from "../Job.ts"
import { isOver } from "../JobMachine.ts"
import { loseProbe } from "./breakers.ts"
import { change, type Draft } from "./Draft.ts"
import { abandon, closeAgent, settleAbandoned } from "./ending.ts"
import type { Env } from "./Env.ts"
import { handBack } from "./handBack.ts"
import { doubtLanding } from "./landing.ts"
import { keepAgent } from "./move.ts"

export const adopt = (draft: Draft, env: Env, job: Job): void => {
  const { agent } = job
  if (agent === null) return
  // Another host may adopt it in this moment.
  change(draft, job, true)
  if (agent.state === "dispatched" || agent.state === "working") loseProbe(draft, env, job)
  if (agent.state === "landed" || (agent.state === "abandoned" && isOver(job.state))) {
    const cleaning = agent.phase === "clean"
    const adopted = keepAgent(draft, job, agent, {
      incarnation: agent.incarnation + 1,
      owner: env.owner,
      standing: agent.state === "landed" ? null : "closing",
      phase: cleaning ? "clean" : null
    })
    // A teardown that has begun goes on: archiving its ruins would overwrite what was archived of the whole.
    if (cleaning) draft.commands.push({ _tag: "Clean", job: adopted })
    else closeAgent(draft, env, adopted)
    return
  }
  if (agent.state === "abandoned") {
    settleAbandoned(draft, env, job, agent, agent.phase === "land")
    return
  }
  if (agent.phase === "land") {
    const detail = "its host was lost"
    const cause = fromError(new LandingUnknown({ jobId: job.jobId, lander: job.workflowType, detail }))
    doubtLanding(draft, env, job, agent, cause, "host_lost", true)
    return
  }
  abandon(draft, env, handBack(draft, env, job, "host_lost"), "host_lost", null, true)
}
