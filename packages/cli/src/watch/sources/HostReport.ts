/**
 * What one live host says of itself, ten times a second: over its socket, or in this very process. Laid over what the store says.
 */
import type { AgentGlimpse, FleetSnapshot, Spent } from "@muster/fleet"
import type { BoardSnapshot } from "@muster/fleet/control"
import type { AgentLook, BreakerLook, FleetLook, HostLook, WorkflowLook } from "../FleetLook.ts"
import { broughtTo } from "./Lanes.ts"
import { workflowsOf } from "./StoreLook.ts"

export interface HostReport extends Pick<
  HostLook,
  "host" | "mode" | "slots" | "used" | "hung" | "loop" | "bankedAt" | "trouble"
> {
  readonly at: number
  readonly agents: ReadonlyArray<AgentLook>
  readonly breakers: ReadonlyArray<BreakerLook>
  readonly workflows: ReadonlyArray<WorkflowLook>
  readonly letterCount: number
  readonly sequence: number
  readonly spent: Spent
}

const agentOf =
  (host: number) =>
  (one: AgentGlimpse): AgentLook => ({
    jobId: one.jobId,
    workflow: one.workflowType,
    host,
    state: one.state,
    phase: one.phase,
    incarnation: one.incarnation,
    attempt: one.attempt,
    startedAt: one.startedAt,
    lastSeenAt: one.lastEventAt,
    silenceAt: one.silenceAt,
    silenceMillis: one.silenceLimitMillis,
    question: one.question,
    lastLine: one.lastLine,
    fraction: one.fraction,
    spent: { inputTokens: one.inputTokens, outputTokens: one.outputTokens, cost: one.cost }
  })

const breakersOf = (open: FleetSnapshot["breakers"]): ReadonlyArray<BreakerLook> =>
  open.map(({ failures, openedAt, probeAt, state, workflowType }) => ({
    workflow: workflowType,
    state,
    openedAt,
    probeAt,
    failures
  }))

/** Of the fleet in this process. */
export const ofSnapshot = (snapshot: FleetSnapshot, at: number): HostReport => {
  const { host, hung, loop, mode, slots, spent, tally, trouble, usedSlots } = snapshot
  return {
    at,
    host,
    mode,
    slots,
    used: usedSlots,
    hung,
    loop,
    bankedAt: loop.bankedAt,
    trouble,
    agents: snapshot.agents.map(agentOf(host)),
    breakers: breakersOf(snapshot.breakers),
    workflows: workflowsOf(tally.jobs),
    letterCount: tally.letters,
    sequence: tally.sequence,
    spent
  }
}

/** Of a host that answers over its socket. */
export const ofBoard = (board: BoardSnapshot, at: number): HostReport => {
  const { host, hung, letters, loop, mode, sequence, slots, spent, trouble, used, workflows } = board
  return {
    at,
    host,
    mode,
    slots,
    used,
    hung,
    loop,
    bankedAt: loop.bankedAt,
    trouble,
    agents: board.agents.map((one) => ({
      jobId: one.jobId,
      workflow: one.workflow,
      host,
      state: one.state,
      phase: one.phase,
      incarnation: one.incarnation,
      attempt: one.attempt,
      startedAt: one.startedAt,
      lastSeenAt: one.lastSeenAt,
      silenceAt: one.silenceAt,
      silenceMillis: one.silenceLimitMillis,
      question: one.question,
      lastLine: one.lastLine,
      fraction: one.fraction,
      spent: one.spent
    })),
    breakers: breakersOf(board.breakers),
    workflows: workflows.map(({ jobs, workflow }) => ({ workflow, jobs })),
    letterCount: letters,
    sequence,
    spent
  }
}

const plus = (a: number | null, b: number | null): number | null => (a === null ? b : b === null ? a : a + b)

const allSpent = (reports: ReadonlyArray<HostReport>): Spent =>
  reports.reduce<Spent>(
    (sum, { spent }) => ({
      inputTokens: plus(sum.inputTokens, spent.inputTokens),
      outputTokens: plus(sum.outputTokens, spent.outputTokens),
      cost: plus(sum.cost, spent.cost)
    }),
    { inputTokens: null, outputTokens: null, cost: null }
  )

const hostOf = (known: HostLook | undefined, report: HostReport): HostLook => ({
  host: report.host,
  pid: known?.pid ?? null,
  beating: true,
  answers: true,
  beatAt: known?.beatAt ?? report.at,
  mode: report.mode,
  slots: report.slots,
  used: report.used,
  hung: report.hung,
  loop: report.loop,
  bankedAt: report.bankedAt,
  trouble: report.trouble
})

/** What the store says, with what hosts say of themselves in its place. Without reports, it is what the store says. */
export const overlay = (look: FleetLook, reports: ReadonlyArray<HostReport>): FleetLook => {
  const [first, ...others] = reports
  if (first === undefined) return look
  const answering = new Set(reports.map(({ host }) => host))
  const newest = others.reduce((found, one) => (one.sequence > found.sequence ? one : found), first)
  const isNewer = newest.sequence >= look.sequence
  const atWork = new Set(reports.flatMap(({ agents }) => agents.map(({ jobId }) => jobId)))
  return {
    ...look,
    at: Math.max(look.at, newest.at),
    via: "hosts",
    hosts: [
      ...look.hosts.filter(({ host }) => !answering.has(host)),
      ...reports.map((report) =>
        hostOf(
          look.hosts.find(({ host }) => host === report.host),
          report
        )
      )
    ].toSorted((a, b) => a.host - b.host),
    agents: [
      ...look.agents.filter(({ host }) => !answering.has(host)),
      ...reports.flatMap(({ agents }) => agents)
    ],
    workflows: isNewer ? newest.workflows : look.workflows,
    // what was read a moment ago may have begun by now
    retries: look.retries.filter(({ jobId }) => !atWork.has(jobId)),
    lanes: isNewer ? broughtTo(look.lanes, newest.workflows) : look.lanes,
    breakers: newest.breakers,
    letterCount: isNewer ? newest.letterCount : look.letterCount,
    sequence: Math.max(newest.sequence, look.sequence),
    spent: allSpent(reports)
  }
}
