/**
 * What holds in every world after every step: of each job, of each host, and between hosts. Each finding says what is broken, in a sentence.
 */
import { Equal } from "effect"
import { type Agent, holdsSlot } from "../../domain/Agent.ts"
import { AgentMachine } from "../../domain/AgentMachine.ts"
import type { Job } from "../../domain/Job.ts"
import { isOver, JobMachine } from "../../domain/JobMachine.ts"
import type { EventDraft } from "../../domain/LifecycleEvent.ts"
import * as Machine from "../../domain/Machine.ts"
import { attemptsAllowed } from "../../domain/Reaction.ts"
import { isExpected } from "../../domain/turn/expected.ts"
import { usedSlots } from "../../domain/turn/move.ts"
import type { WorkflowPolicy } from "../../domain/WorkflowPolicy.ts"
import type { Host, Stored, World } from "./World.ts"

type Findings = Array<string>

/** The chain of one subject: it begins with its creation, each move is in the table, and none is missing. */
const chain = (
  machine: Machine.Machine,
  events: ReadonlyArray<EventDraft>,
  found: Findings
): string | null => {
  let state: string | null = null
  let at = Number.NEGATIVE_INFINITY
  let incarnation = 0
  for (const event of events) {
    const move: string = `${event.subjectKind} ${event.fromState} ${event.event} ${event.toState}`
    if (event.fromState !== state) found.push(`"${move}" follows on ${state}`)
    const edge = state === null ? null : Machine.edge(machine, state, event.event)
    const reasons = edge === null ? machine.creation.reasons : (edge?.reasons ?? [])
    const name = edge === null ? machine.creation.event : edge?.event
    const to = edge === null ? machine.initial : edge?.to
    if (name !== event.event || to !== event.toState) found.push(`"${move}" is no edge of the table`)
    if (!reasons.includes(event.transitionReason))
      found.push(`"${move}" has no reason "${event.transitionReason}"`)
    if (event.actor === "" || event.occurredAt < at) found.push(`"${move}" lacks actor or order`)
    if (event.incarnation < incarnation) found.push(`"${move}" belongs to an earlier incarnation`)
    state = event.toState
    at = event.occurredAt
    incarnation = event.incarnation
  }
  return state
}

const chains = ({ events, job }: Stored, found: Findings): void => {
  // A note moves nothing.
  const of = (kind: EventDraft["subjectKind"]) =>
    events.filter(({ subjectKind, toState }) => subjectKind === kind && toState !== null)
  const jobState = chain(JobMachine, of("job"), found)
  const agentState = chain(AgentMachine, of("agent"), found)
  if (jobState !== job.state) found.push(`the story ends in ${jobState}, and the job is ${job.state}`)
  if (agentState !== (job.agent?.state ?? null))
    found.push(`the story ends in ${agentState}, and the agent is ${job.agent?.state}`)
}

/** What the agent's fields may say together (R1, R4, R6). */
const agentFields = (agent: Agent, found: Findings): void => {
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
  if (agent.hung && holdsSlot(agent)) found.push("hung and holds a slot")
}

/** Which agents a job in each state may have. */
const jobAndAgent = ({ agent, state }: Job, found: Findings): void => {
  const runs = agent !== null && (agent.state === "dispatched" || agent.state === "working")
  if ((state === "PROCESSING") !== (runs && agent.owner !== null))
    found.push(`PROCESSING and a running, owned agent don't go together: ${state}, ${agent?.state} (R1)`)
  if (state === "PENDING" && agent !== null) found.push("PENDING with an agent")
  if (state === "VALIDATING") found.push("VALIDATING rests (R1)")
  const comesBack = ["waiting", "ending", "landing_unknown"].includes(agent?.standing ?? "")
  if (state === "RETRY_SCHEDULED" && !comesBack)
    found.push(`RETRY_SCHEDULED, and its agent is ${agent?.state} ${agent?.standing}`)
  const landed = agent !== null && (agent.state === "landed" || agent.disposition === "landed")
  if ((state === "COMPLETED") !== landed) found.push(`${state}, and its agent is ${agent?.state} (R1)`)
  if (agent === null || !isOver(state) || state === "COMPLETED") return
  const leaving = agent.standing === "ending" || agent.standing === "closing"
  const discarded = agent.disposition === (state === "CANCELLED" ? "discarded" : "quarantined")
  if (agent.state === "tombstoned" ? !discarded : !leaving)
    found.push(`${state}, and its agent is ${agent.state} ${agent.standing} ${agent.disposition}`)
}

/** Attempts, letters, results, markers, versions. */
const records = (world: World, stored: Stored, found: Findings): void => {
  const { events, job, letter, result, retries, writes } = stored
  if (job.version !== writes) found.push(`version ${job.version} after ${writes} writes`)
  const burned = retries.filter((retry) => retry.burned).length
  if (job.retryCount !== burned) found.push(`retry_count ${job.retryCount}, and the log has ${burned}`)
  const logged = events.filter(({ errorCode, event }) => event === "schedule_retry" && errorCode !== null)
  if (logged.length !== retries.length) found.push("a retry is not in the log, or is there twice")
  const failed = events.some(({ event, transitionReason }) =>
    event === "fail" ? transitionReason !== "restart_budget_exhausted" : event === "reject"
  )
  const attempts = burned + (failed ? 1 : 0)
  if (attempts > job.maxRetries + 1)
    found.push(`${attempts} attempts were burned, and ${job.maxRetries} may be repeated`)
  for (const [index, { errorCode }] of retries.filter((retry) => retry.burned).entries()) {
    const { maxAttempts } = world.rules.catalogue.lookup(errorCode).policy
    if (index + 1 >= attemptsAllowed(job.maxRetries, maxAttempts))
      found.push(`${errorCode} was repeated after attempt ${index + 1} (R3)`)
  }
  if ((job.state === "DEAD_LETTERED") !== (letter !== null))
    found.push(`${job.state} and its letter don't go together`)
  if (letter !== null && (letter.failureErrorCode !== job.lastErrorCode || letter.finalState !== "FAILED"))
    found.push("the letter tells another story than the job")
  if ((job.state === "COMPLETED") !== (result !== null))
    found.push(`${job.state} and its result don't go together`)
}

/** No more recoveries than the budget allows lie close together; half a window leaves room for clocks that were set back (R2). */
const restarts = (world: World, { events, job, renewed }: Stored, found: Findings): void => {
  const policy = world.rules.workflows.get(job.workflowType)?.restarts
  if (policy === undefined) return
  // Progress begins the budget anew (R2).
  const since = [0, ...renewed].map((from, index) => events.slice(from, renewed[index] ?? events.length))
  for (const part of since) spent(part, policy, found)
}

const spent = (
  events: ReadonlyArray<EventDraft>,
  policy: WorkflowPolicy["restarts"],
  found: Findings
): void => {
  const lost = events.filter(
    ({ event, transitionReason: reason }) =>
      event === "schedule_retry" && (reason === "host_lost" || reason === "landing_unknown")
  )
  for (const [index, { occurredAt }] of lost.entries()) {
    const before = lost[index - policy.restarts]
    if (before !== undefined && occurredAt - before.occurredAt < policy.windowMillis / 2)
      found.push("it was recovered more often than its restart budget allows (R2)")
  }
}

/** Nothing lands twice, or unwanted; nothing that was made stays behind unrecorded. */
const outside = (world: World, stored: Stored, found: Findings): void => {
  const { events, job, landings, passes, places, result } = stored
  if (landings > 1) found.push("it was landed twice")
  const policy = world.rules.workflows.get(job.workflowType)
  const done = events.find(({ event }) => event === "land")
  if (done !== undefined && policy?.lander === true && landings !== 1)
    found.push("COMPLETED, and it was never landed")
  if (done !== undefined && policy?.gates === true && !passes.has(result ?? ""))
    found.push("COMPLETED, and its gates have not passed (R25)")
  const mayHaveLanded =
    job.state === "COMPLETED" ||
    job.state === "DEAD_LETTERED" ||
    job.agent?.phase === "land" ||
    job.agent?.standing === "landing_unknown"
  if (landings > 0 && !mayHaveLanded) found.push(`${job.state}, and it was landed`)
  if (job.agent?.state === "tombstoned" && places.size > 0)
    found.push(`tombstoned, and ${[...places].join(", ")} is left behind`)
}

/** A step is done once, and whoever doesn't know asks (R28). */
const steps = (world: World, { job, markers, payments }: Stored, found: Findings): void => {
  const policy = world.rules.workflows.get(job.workflowType)?.unknownOutcome ?? "ask"
  const { agent, hold } = job
  if (payments > 1 && policy !== "rerun") found.push("its step was done twice, unasked")
  const marker = markers.get("pay")
  const open = agent?.steps.includes("pay") === true
  if (open !== (marker?.state === "started")) found.push(`its step is ${marker?.state}, and open is ${open}`)
  if (hold !== null && (job.state !== "RETRY_SCHEDULED" || !open || policy !== "ask"))
    found.push("it is parked and asks nothing")
  if (!open || agent === null || policy === "rerun") return
  if (agent.standing === "waiting" && job.state === "RETRY_SCHEDULED" && hold === null)
    found.push("it waits for its retry, and nobody is asked about its step")
  if (agent.phase === "work" && agent.standing === null && marker?.incarnation !== agent.incarnation)
    found.push("it works on, and nobody knows whether its step was done")
}

/** What a host remembers is what the store says, it stays within its slots, and nothing that it owes is forgotten (R4, R11). */
const hostFindings = (world: World, host: Host): Findings => {
  const found: Findings = []
  const rows = Array.from(world.jobs.values(), ({ job }) => job).filter(
    ({ agent }) => agent?.owner?.epoch === host.epoch
  )
  if (host.owned.size !== rows.length)
    found.push(`it knows of ${host.owned.size} jobs, and owns ${rows.length}`)
  for (const row of rows) {
    if (!Equal.equals(host.owned.get(row.seq), row))
      found.push(`it knows job ${row.seq} otherwise than the store`)
    const { agent, seq } = row
    const speaks = host.inbox.some(
      (signal) =>
        "incarnation" in signal &&
        signal.seq === seq &&
        agent !== null &&
        signal.incarnation === agent.incarnation &&
        isExpected(agent, signal)
    )
    const fiber = host.fibers.get(seq)
    if (agent?.standing === "ending" && fiber?.stopping === false)
      found.push(`the fiber of job ${seq} goes on, though its agent is abandoned`)
    if (fiber === undefined && !speaks)
      found.push(`job ${seq} is stuck: no fiber and no signal will move it (R11)`)
  }
  if (usedSlots(host.owned) > world.rules.slots) found.push("its agents hold more slots than it has (R4)")
  let living = 0
  for (const { incarnation, phase, seq } of host.fibers.values()) {
    if (phase !== "archive" && phase !== "clean") living++
    if (host.owned.get(seq)?.agent?.incarnation !== incarnation)
      found.push(`a fiber of job ${seq} runs for an incarnation that it doesn't own`)
  }
  if (living > world.rules.slots) found.push(`${living} incarnations live in ${world.rules.slots} slots (R4)`)
  return found.map((text) => `host ${host.epoch}: ${text}`)
}

/** Everything that is broken in this world; empty for a sound one. */
export const findings = (world: World): ReadonlyArray<string> => {
  const all: Findings = world.alarms.map(({ text }) => text)
  for (const stored of world.jobs.values()) {
    const found: Findings = []
    chains(stored, found)
    jobAndAgent(stored.job, found)
    if (stored.job.agent !== null) agentFields(stored.job.agent, found)
    records(world, stored, found)
    restarts(world, stored, found)
    outside(world, stored, found)
    steps(world, stored, found)
    for (const text of found) all.push(`job ${stored.job.seq}: ${text}`)
  }
  const living = world.hosts.filter((host) => host.living)
  for (const host of living) all.push(...hostFindings(world, host))
  const running = living.flatMap(({ fibers }) => Array.from(fibers.keys()))
  if (new Set(running).size !== running.length) all.push("one job runs on two living hosts")
  return all
}
