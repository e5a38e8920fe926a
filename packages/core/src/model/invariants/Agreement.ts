/** Invariants of one row and what is written with it: what one commit says together, and can't say apart. */
import type { Agent } from "../../domain/Agent.ts"
import { holdsSlot } from "../../domain/Agent.ts"
import { AgentMachine } from "../../domain/AgentMachine.ts"
import type { Job } from "../../domain/Job.ts"
import { isOver } from "../../domain/JobMachine.ts"
import { make } from "../Invariant.ts"
import { always, eachLeadsTo } from "../Temporal.ts"
import type { Stored, World } from "../world/World.ts"
import { type FleetInvariant, jobNumbers, ofEachJob } from "./Look.ts"

/** Which agents a job in each state may have. */
const jobAndAgent = ({ agent, state }: Job): ReadonlyArray<string> => {
  const found: Array<string> = []
  const runs = agent !== null && (agent.state === "dispatched" || agent.state === "working")
  if ((state === "PROCESSING") !== (runs && agent.owner !== null))
    found.push(`PROCESSING and a running, owned agent don't go together: ${state}, ${agent?.state}`)
  if (state === "PENDING" && agent !== null) found.push("PENDING with an agent")
  if (state === "VALIDATING") found.push("VALIDATING rests")
  const comesBack = ["waiting", "ending", "landing_unknown"].includes(agent?.standing ?? "")
  if (state === "RETRY_SCHEDULED" && !comesBack)
    found.push(`RETRY_SCHEDULED, and its agent is ${agent?.state} ${agent?.standing}`)
  const landed = agent !== null && (agent.state === "landed" || agent.disposition === "landed")
  if ((state === "COMPLETED") !== landed) found.push(`${state}, and its agent is ${agent?.state}`)
  if (agent === null || !isOver(state) || state === "COMPLETED") return found
  const leaving = agent.standing === "ending" || agent.standing === "closing"
  const discarded = agent.disposition === (state === "CANCELLED" ? "discarded" : "quarantined")
  if (agent.state === "tombstoned" ? !discarded : !leaving)
    found.push(`${state}, and its agent is ${agent.state} ${agent.standing} ${agent.disposition}`)
  return found
}

/** What the agent's fields may say together. */
const agentFields = (agent: Agent): ReadonlyArray<string> => {
  const found: Array<string> = []
  const { disposition, owner, phase, standing, state } = agent
  const asks = state === "working" && phase === "land" && standing === "landing_unknown"
  if ((state === "abandoned") !== (standing !== null) && !asks) found.push(`${state} stands ${standing}`)
  if ((state === "tombstoned") !== (disposition !== null)) found.push(`${state} is ${disposition}`)
  if ((state === "dispatched" || state === "working") && (owner === null || phase === null))
    found.push(`${state} without owner or phase`)
  const waits = standing === "waiting" || (standing === "landing_unknown" && !asks)
  if ((waits || state === "tombstoned") && (owner !== null || phase !== null))
    found.push(`${standing ?? state} has an owner or a phase`)
  if (standing === "ending" && (owner === null || phase === null)) found.push("ending without owner or phase")
  const stays = AgentMachine.phases?.find(({ name }) => name === phase)?.states
  if (stays?.includes(state) === false && standing !== "ending") found.push(`${state} in phase ${phase}`)
  if (agent.hung && holdsSlot(agent)) found.push("hung and holds a slot")
  return found
}

/** Whether the policy of the code that ended the job asks for quarantine; that of a retryable code always does, once its budget is used up (R3). */
const demandsLetter = ({ rules }: World, { job }: Stored): boolean => {
  if (job.state !== "FAILED") return false
  const { policy } = rules.catalogue.lookup(job.lastErrorCode ?? "")
  return policy.retryable || policy.quarantine || policy.severity === "critical"
}

export const agreement: ReadonlyArray<FleetInvariant> = [
  make({
    id: "job-and-agent-agree",
    sentence:
      "A job is PROCESSING exactly while its agent runs under an owner, and each other state has its agents.",
    lanes: ["loop"],
    primitive: "one_commit",
    temporal: always(ofEachJob(({ job }) => jobAndAgent(job))),
    source: "R1"
  }),
  make({
    id: "agent-fields-agree",
    sentence: "Owner, phase, standing and disposition of an agent say what its state says.",
    lanes: ["loop"],
    primitive: "one_commit",
    temporal: always(ofEachJob(({ job: { agent } }) => (agent === null ? null : agentFields(agent)))),
    source: "R1, R4, R6"
  }),
  make({
    id: "letter-goes-with-quarantine",
    sentence:
      "A job has a dead letter exactly when it is DEAD_LETTERED, and the letter tells the job's story.",
    lanes: ["loop"],
    primitive: "one_commit",
    temporal: always(
      ofEachJob(({ job, letter }) => {
        if ((job.state === "DEAD_LETTERED") !== (letter !== null))
          return `${job.state} and its letter don't go together`
        return letter !== null &&
          (letter.failureErrorCode !== job.lastErrorCode || letter.finalState !== "FAILED")
          ? "the letter tells another story than the job"
          : null
      })
    ),
    source: "seed 1, Dead-Letter Contract; R3"
  }),
  make({
    id: "result-goes-with-completion",
    sentence: "A job has a result exactly when it is COMPLETED.",
    lanes: ["loop"],
    primitive: "one_commit",
    temporal: always(
      ofEachJob(({ job, result }) =>
        (job.state === "COMPLETED") === (result !== null)
          ? null
          : `${job.state} and its result don't go together`
      )
    ),
    source: "R1"
  }),
  make({
    id: "failed-leads-to-quarantine",
    sentence: "A job that FAILED is DEAD_LETTERED where the policy of its code demands it.",
    lanes: ["loop"],
    primitive: "one_commit",
    temporal: eachLeadsTo({
      subjects: jobNumbers,
      when: (world, seq) => {
        const stored = world.jobs.get(seq)
        return stored !== undefined && demandsLetter(world, stored)
      },
      holds: (world, seq) => world.jobs.get(seq)?.job.state === "DEAD_LETTERED"
    }),
    source: "seed 1, FAILED -> DEAD_LETTERED; R3"
  })
]
