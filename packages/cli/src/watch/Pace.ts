/**
 * How fast the fleet goes, and what it has spent, by the looks that were taken so far: the same for every source.
 */
import { type AgentLook, type FleetLook, jobsIn, type Spent } from "./FleetLook.ts"

interface Sample {
  readonly at: number
  readonly landed: number
  readonly dead: number
  readonly events: number
}

export interface Pace {
  /** One a second at most, oldest first; the newest may be younger. */
  readonly samples: ReadonlyArray<Sample>
  /** What agents that have gone had reported last. */
  readonly gone: Spent
  /** What those who are there have reported, by incarnation. */
  readonly here: ReadonlyMap<string, Spent>
}

const nothing: Spent = { inputTokens: null, outputTokens: null, cost: null }

export const standing: Pace = { samples: [], gone: nothing, here: new Map() }

/** Samples that are kept, one a second. */
const kept = 120
const sampleMillis = 1_000
/** What a rate is taken over, in milliseconds. */
const rateMillis = 10_000

const plus = (a: number | null, b: number | null): number | null => (a === null ? b : b === null ? a : a + b)

const sum = (a: Spent, b: Spent): Spent => ({
  inputTokens: plus(a.inputTokens, b.inputTokens),
  outputTokens: plus(a.outputTokens, b.outputTokens),
  cost: plus(a.cost, b.cost)
})

const keyOf = ({ incarnation, jobId }: AgentLook): string => `${jobId}/${incarnation}`

const sampled = ({ samples }: Pace, look: FleetLook): ReadonlyArray<Sample> => {
  const now: Sample = {
    at: look.at,
    landed: jobsIn(look, "COMPLETED"),
    dead: jobsIn(look, "DEAD_LETTERED", "FAILED"),
    events: look.sequence
  }
  const last = samples.at(-1)
  // a clock that was set back, or another store behind the same name, begins anew
  if (last !== undefined && (now.at < last.at || now.events < last.events)) return [now]
  const before = samples.at(-2)
  const isYoung = last !== undefined && before !== undefined && now.at - before.at < sampleMillis
  return [...(isYoung ? samples.slice(0, -1) : samples), now].slice(-kept)
}

export const take = (pace: Pace, look: FleetLook): Pace => {
  const here = new Map(look.agents.map((agent) => [keyOf(agent), agent.spent]))
  let { gone } = pace
  for (const [key, spent] of pace.here) if (!here.has(key)) gone = sum(gone, spent)
  return { samples: sampled(pace, look), gone, here }
}

/** What the agents have reported since the board was opened. */
export const spentSince = ({ gone, here }: Pace): Spent => Array.from(here.values()).reduce(sum, gone)

export interface Rate {
  /** A second each. */
  readonly landed: number
  readonly dead: number
  readonly events: number
}

/** Over the last seconds; null: not known yet. */
export const rate = ({ samples }: Pace): Rate | null => {
  const last = samples.at(-1)
  if (last === undefined) return null
  const first = samples.find(({ at }) => at >= last.at - rateMillis)
  if (first === undefined || last.at - first.at < sampleMillis) return null
  // retention forgets finished jobs: a count that falls is no rate
  const per = (from: number, to: number): number => (Math.max(0, to - from) * 1_000) / (last.at - first.at)
  return {
    landed: per(first.landed, last.landed),
    dead: per(first.dead, last.dead),
    events: per(first.events, last.events)
  }
}

const bars = "▁▂▃▄▅▆▇█"

/** Landings of the last `cells` spans of two seconds as a row of bars, the newest last. */
export const skyline = ({ samples }: Pace, cells: number): string => {
  const last = samples.at(-1)
  if (last === undefined || cells <= 0) return ""
  // spans begin at fixed instants: a bar grows, and doesn't wander
  const span = sampleMillis * 2
  const newest = Math.floor(last.at / span)
  const counts = Array.from({ length: cells }, () => 0)
  for (const [index, { at, landed }] of samples.entries()) {
    const before = samples[index - 1]
    const place = cells - 1 - (newest - Math.floor(at / span))
    if (before === undefined || place < 0 || place >= cells) continue
    counts[place] = (counts[place] ?? 0) + Math.max(0, landed - before.landed)
  }
  const most = Math.max(...counts)
  return counts.map((count) => (most === 0 ? "▁" : (bars[Math.round((count / most) * 7)] ?? "█"))).join("")
}
