/**
 * The table of a run: one line a scenario, and below it what was found.
 */
import type { Outcome } from "./Scenario.ts"

const columns = [
  ["scenario", 24],
  ["kills", -6],
  ["jobs", -6],
  ["verdict", 8],
  ["seconds", -8],
  ["restart p50/max ms", -19]
] as const

const line = (cells: ReadonlyArray<string | number>): string =>
  columns
    .map(([, width], index) => {
      const cell = String(cells[index] ?? "")
      return width < 0 ? cell.padStart(-width) : cell.padEnd(width)
    })
    .join("  ")
    .trimEnd()

export const heading = line(columns.map(([title]) => title))

const spread = (millis: ReadonlyArray<number>): string =>
  millis.length === 0 ? "-" : `${millis[Math.floor(millis.length / 2)] ?? 0}/${millis.at(-1) ?? 0}`

export const row = ({ jobs, kills, name, restarts, seconds, verdict }: Outcome): string =>
  line([name, kills, jobs, verdict._tag.toLowerCase(), seconds.toFixed(1), spread(restarts)])

/** What there is to say beside the row. */
export const details = ({ remarks, restartsWhole, verdict }: Outcome): ReadonlyArray<string> =>
  [
    ...(verdict._tag === "Broken" ? verdict.details : []),
    ...(verdict._tag === "Skipped" ? [verdict.reason] : []),
    ...remarks,
    ...(restartsWhole.length === 0
      ? []
      : [`restart with the start of the process: ${spread(restartsWhole)} ms`])
  ].map((detail) => `    ${detail}`)
