/**
 * Who holds a job and its agent: exactly one live host while it works, nobody while it waits, and whoever is next when a host is over
 * (R1, R6, R9, R19, R30).
 */
import { type Agent, agentId } from "../Agent.ts"
import type { AgentState } from "../AgentMachine.ts"
import type { Job } from "../Job.ts"
import { isOver, type JobState } from "../JobMachine.ts"
import type { Findings } from "./Finding.ts"
import type { HostRegister } from "./HostRegister.ts"

/** The agents that a job may have in each state; `none`: it may have none yet, or never had one. */
const companions: { readonly [State in JobState]: ReadonlyArray<AgentState | "none"> } = {
  PENDING: ["none"],
  // never at rest: another rule says so
  VALIDATING: ["none"],
  PROCESSING: ["dispatched", "working"],
  RETRY_SCHEDULED: ["abandoned"],
  COMPLETED: ["landed", "tombstoned"],
  FAILED: ["none", "abandoned", "tombstoned"],
  DEAD_LETTERED: ["none", "abandoned", "tombstoned"],
  CANCELLED: ["none", "abandoned", "tombstoned"]
}

const checkPair = (job: Job, found: Findings): void => {
  const subject = `job:${job.jobId}`
  if (job.state === "VALIDATING") found.add("validating-at-rest", subject, "it stands in VALIDATING")
  const state = job.agent?.state ?? "none"
  if (!companions[job.state].includes(state))
    found.add(
      "job-agent-mismatch",
      subject,
      `it is ${job.state}, and ${state === "none" ? "it has no agent" : `its agent is ${state}`}`
    )
}

/** Whether an owner must stand in the agent's row: a life is on, or is ending (R4). */
const needsOwner = ({ standing, state }: Agent): boolean =>
  state === "dispatched" || state === "working" || standing === "ending"

const checkOwner = (job: Job, agent: Agent, hosts: HostRegister, found: Findings): void => {
  const { owner, standing, state } = agent
  const subject = agentId(job.jobId)
  if (owner === null) {
    if (needsOwner(agent)) found.add("owner-missing", subject, `it is ${standing ?? state} and has no owner`)
    return
  }
  if (state === "tombstoned") return
  const name = `host ${owner.host}, epoch ${owner.epoch}`
  switch (hosts.standing(owner)) {
    case "unknown":
      found.add("owner-unknown", subject, `its owner is ${name}, and the store has no such host`)
      return
    case "over": {
      const since = Math.max(hosts.beatOf(owner), job.updatedAt)
      const severity = hosts.overdue(since)
      found.add("adoption-owed", subject, `it is ${standing ?? state} under ${name}, which is over`, severity)
      return
    }
    case "live":
      return
  }
}

const checkWaiting = (job: Job, agent: Agent, found: Findings): void => {
  if (job.state !== "PENDING" && job.state !== "RETRY_SCHEDULED") return
  const { owner, standing, state } = agent
  const subject = `job:${job.jobId}`
  if (owner !== null && standing !== "ending")
    found.add("waiting-owned", subject, `it is ${job.state} and host ${owner.host} owns it`)
  if (job.state === "RETRY_SCHEDULED" && state === "abandoned" && standing === "closing")
    found.add("retry-unreachable", subject, "it is to be tried again, and its agent is being closed")
  if (job.state === "RETRY_SCHEDULED" && state === "abandoned" && standing === null)
    found.add("retry-unreachable", subject, "it is to be tried again, and its agent waits for nothing")
}

/** A job that is over: its agent is tombstoned, or is being archived and cleaned, or ends, under somebody who lives (R11). */
const checkClosing = (job: Job, agent: Agent, hosts: HostRegister, found: Findings): void => {
  if (!isOver(job.state) || (agent.state !== "landed" && agent.state !== "abandoned")) return
  const { owner, phase, standing, state } = agent
  const subject = agentId(job.jobId)
  if (owner === null) {
    if (state === "landed" || standing === "closing") {
      const severity = hosts.overdue(job.updatedAt)
      found.add("adoption-owed", subject, `its job is over, it is ${standing ?? state} and unowned`, severity)
    } else if (standing !== "ending") {
      found.add(
        "not-tombstoned",
        subject,
        `its job is ${job.state}, and it is ${state}, ${standing}, unowned`
      )
    }
    return
  }
  const isOnItsWay = standing === "ending" || standing === "landing_unknown" || phase !== null
  if (!isOnItsWay)
    found.add(
      "not-tombstoned",
      subject,
      `its job is ${job.state}, and it is ${standing ?? state} in no phase`
    )
}

export const checkOwnership = (job: Job, hosts: HostRegister, found: Findings): void => {
  checkPair(job, found)
  if (job.agent === null) return
  checkOwner(job, job.agent, hosts, found)
  checkWaiting(job, job.agent, found)
  checkClosing(job, job.agent, hosts, found)
}
