/**
 * What an agent's row says beside its state: standing, phase, life, and its tombstone (design, "Agents"; R30).
 */
import { type Agent, agentId } from "../Agent.ts"
import type { AgentState, Phase, Standing } from "../AgentMachine.ts"
import { dispositionOf } from "../Disposition.ts"
import type { Job } from "../Job.ts"
import { isOver } from "../JobMachine.ts"
import type { Findings } from "./Finding.ts"

const living: ReadonlyArray<Phase> = ["prepare", "sentinel", "work", "commit", "verify", "land"]
const closing: ReadonlyArray<Phase | null> = [null, "archive", "tombstone", "clean"]

const phasesOf: { readonly [State in AgentState]: ReadonlyArray<Phase | null> } = {
  dispatched: ["prepare", "sentinel"],
  working: living,
  landed: closing,
  // by its standing
  abandoned: [],
  tombstoned: [null]
}

/** An ending agent keeps the phase that its fiber is in. */
const phasesBy: { readonly [S in Standing]: ReadonlyArray<Phase | null> } = {
  ending: living,
  waiting: [null],
  landing_unknown: [null, "land"],
  closing
}

const checkPlace = (subject: string, agent: Agent, found: Findings): void => {
  const { incarnation, phase, standing, state } = agent
  // At work, and its lander is asked about a landing of which nobody knows (R27).
  const asks = state === "working" && phase === "land" && standing === "landing_unknown"
  if ((standing !== null) !== (state === "abandoned") && !asks) {
    found.add("agent-row", subject, `it is ${state} and its standing is ${standing}`)
    return
  }
  if (incarnation < 1) found.add("agent-row", subject, `it is at life ${incarnation}`)
  const allowed = standing === null ? phasesOf[state] : phasesBy[standing]
  if (state !== "tombstoned" && !allowed.includes(phase))
    found.add("agent-row", subject, `it is ${standing ?? state} in ${phase === null ? "no phase" : phase}`)
}

const checkTombstone = (subject: string, job: Job, agent: Agent, found: Findings): void => {
  const { disposition, owner, phase, state } = agent
  if (state !== "tombstoned") {
    if (disposition !== null)
      found.add("disposition", subject, `it is ${state} and has the disposition ${disposition}`)
    return
  }
  const held = [
    ...(owner === null ? [] : [`host ${owner.host} owns it`]),
    ...(phase === null ? [] : [`it is in ${phase}`]),
    ...(isOver(job.state) ? [] : [`its job is ${job.state}`])
  ]
  if (held.length > 0) found.add("tombstone-held", subject, `it is tombstoned, and ${held.join(", ")}`)
  if (isOver(job.state) && disposition !== dispositionOf(job.state))
    found.add("disposition", subject, `its job is ${job.state}, and its disposition is ${disposition}`)
}

export const checkAgent = (job: Job, found: Findings): void => {
  const { agent } = job
  if (agent === null) return
  const subject = agentId(job.jobId)
  checkPlace(subject, agent, found)
  checkTombstone(subject, job, agent, found)
}
