/**
 * Lengths of time as people type them: `500ms`, `1.5s`, `2m`, `90 seconds`, `7d`.
 */

const units: ReadonlyMap<string, number> = new Map([
  ["ms", 1],
  ["s", 1_000],
  ["sec", 1_000],
  ["second", 1_000],
  ["m", 60_000],
  ["min", 60_000],
  ["minute", 60_000],
  ["h", 3_600_000],
  ["hour", 3_600_000],
  ["d", 86_400_000],
  ["day", 86_400_000],
  ["w", 604_800_000],
  ["week", 604_800_000]
])

/** Milliseconds; undefined for a text that is no length of time, or has no unit. */
export const parseMillis = (text: string): number | undefined => {
  const [, amount = "", word = ""] = /^\s*(\d+(?:\.\d+)?)\s*([a-z]+)\s*$/i.exec(text) ?? []
  const name = word.toLowerCase()
  const unit = units.get(name) ?? units.get(name.replace(/s$/, ""))
  return unit === undefined ? undefined : Math.round(Number(amount) * unit)
}
