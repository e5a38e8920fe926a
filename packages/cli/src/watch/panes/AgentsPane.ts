/**
 * The slots and who is in them. An agent keeps its row; who asks, who falls silent and who has been tried before stands out.
 */
import { type BoardState } from "../BoardState.ts"
import { harmless, type Span, span, type Tone } from "../Cells.ts"
import { age, limit, money, short } from "../Figures.ts"
import { type AgentLook, type FleetLook, shortId, slotsOf } from "../FleetLook.ts"
import type { GridColumn } from "../Grid.ts"
import { placeOf } from "../Seats.ts"
import { pane } from "./Pane.ts"

/** An agent that says nothing for less than this is not quiet, in milliseconds. */
const quietMillis = 3_000
/** On so many columns names may be long. */
const roomy = 160

const stands = ({ phase, question, state }: AgentLook, isLost: boolean): Span => {
  if (isLost) return span("lost?", "bad")
  if (question !== null) return span("asks", "waiting")
  if (phase === null) return span(state, "faint")
  return span(phase, phase === "work" ? "plain" : "busy")
}

/** How much of its patience with an agent's silence is gone, from 0 to 1. */
const shareOf = ({ silenceAt, silenceMillis }: AgentLook, now: number): number =>
  silenceAt === null || silenceMillis === null
    ? 0
    : silenceMillis <= 0
      ? 1
      : 1 - (silenceAt - now) / silenceMillis
/** From here on it is told before it is given up. */
const nearEnd = 0.8

/** How long it has been silent, and against what: `12s/5m`. */
const silence = (agent: AgentLook, now: number): Span => {
  const { lastSeenAt, silenceAt, silenceMillis } = agent
  if (lastSeenAt === null) return span("")
  const quiet = now - lastSeenAt
  const isQuiet = quiet >= quietMillis
  if (silenceAt === null || silenceMillis === null) return span(isQuiet ? age(quiet) : "", "faint")
  const share = shareOf(agent, now)
  const tone: Tone = share >= nearEnd ? "bad" : share >= 0.5 ? "waiting" : "faint"
  return span(`${isQuiet || share >= 0.5 ? age(quiet) : "·"}/${limit(silenceMillis)}`, tone)
}

const spent = ({ spent: { cost, inputTokens, outputTokens } }: AgentLook): string => {
  if (cost !== null) return money(cost)
  return inputTokens === null && outputTokens === null ? "" : short((inputTokens ?? 0) + (outputTokens ?? 0))
}

const words = ({ fraction, lastLine, question }: AgentLook): string => {
  const share = fraction === null ? "" : `${Math.floor(fraction * 100)}% `
  return share + harmless(question ?? lastLine).trim()
}

const gridColumns = ({ columns, now }: BoardState, look: FleetLook): ReadonlyArray<GridColumn<AgentLook>> => {
  const several = look.hosts.length > 1 || new Set(look.agents.map(({ host }) => host)).size > 1
  /** Nobody has heard of these for a lease: their agents may be gone with them. */
  const lost = new Set(
    look.hosts.filter(({ answers, beating }) => !answers && !beating).map(({ host }) => host)
  )
  const workflows = new Set(look.agents.map(({ workflow }) => workflow)).size
  const reports = look.agents.some((agent) => spent(agent) !== "")
  return [
    ...(several
      ? [
          {
            title: "host",
            least: 4,
            align: "right",
            of: ({ host }: AgentLook) => span(String(host), "faint")
          } as const
        ]
      : []),
    { title: "job", least: 4, most: 9, align: "right", of: ({ jobId }) => span(shortId(jobId), "title") },
    ...(workflows > 1
      ? [
          {
            title: "workflow",
            least: 8,
            most: columns >= roomy ? 20 : 12,
            from: 64,
            of: ({ workflow }: AgentLook) => span(workflow)
          }
        ]
      : []),
    { title: "phase", least: 8, most: 10, of: (agent) => stands(agent, lost.has(agent.host)) },
    {
      title: "try",
      least: 3,
      align: "right",
      from: 56,
      of: ({ attempt }) => span(String(attempt), attempt > 1 ? "waiting" : "faint")
    },
    { title: "age", least: 5, align: "right", of: ({ startedAt }) => span(age(now - startedAt)) },
    ...(look.agents.some(({ lastSeenAt }) => lastSeenAt !== null)
      ? [{ title: "silent", least: 7, most: 9, from: 48, of: (agent: AgentLook) => silence(agent, now) }]
      : []),
    ...(reports
      ? [
          {
            title: "spent",
            least: 6,
            most: 8,
            from: 92,
            align: "right",
            of: (agent: AgentLook) => span(spent(agent), "faint")
          } as const
        ]
      : []),
    {
      title: "last line",
      least: 1,
      isRest: true,
      of: (agent) =>
        span(words(agent), agent.question !== null ? "waiting" : agent.attempt > 1 ? "waiting" : "plain")
    }
  ]
}

const nothing = ({ filter, look, now }: BoardState): string => {
  if (look === null) return ""
  if (filter !== "" && look.agents.length > 0) return `no agent matches "${filter}"`
  const due = look.retries[0]?.dueAt ?? null
  const next = due === null || due <= now ? "" : `; the next retry is due in ${age(due - now)}`
  return look.hosts.some(({ beating }) => beating)
    ? `no agent is at work${next}`
    : "no agent is at work: no host is running"
}

export const agentsPane = pane<AgentLook>({
  name: "agents",
  title: "agents",
  count: (look) => {
    const slots = slotsOf(look)
    const asking = look.agents.filter(({ question }) => question !== null).length
    const silent = look.agents.filter((agent) => shareOf(agent, look.at) >= nearEnd).length
    return [
      slots === 0 ? String(look.agents.length) : `${look.agents.length} in ${slots} slots`,
      ...(asking === 0 ? [] : [`${asking} ${asking === 1 ? "asks" : "ask"}`]),
      ...(silent === 0 ? [] : [`${silent} nearly given up`])
    ].join(", ")
  },
  // as many rows as slots, so that what is below stays where it is
  wants: ({ look }) => (look === null ? 0 : Math.max(slotsOf(look), look.agents.length)),
  nothing,
  rows: ({ seats }, { agents }) =>
    agents.toSorted((a, b) => a.host - b.host || placeOf(seats, a) - placeOf(seats, b)),
  id: ({ host, jobId }) => `${host}/${jobId}`,
  jobId: ({ jobId }) => jobId,
  words: ({ jobId, lastLine, phase, question, state, workflow }) => [
    jobId,
    workflow,
    phase,
    state,
    lastLine,
    question
  ],
  columns: gridColumns
})
