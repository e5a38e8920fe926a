/**
 * Numbers in few characters: spans of time by the second, counts, money.
 */
const two = (count: number): string => String(count).padStart(2, "0")

/** `0s`, `42s`, `3m07`, `2h05`, `4d03h`: whole seconds, so that nothing flickers. */
export const age = (millis: number): string => {
  const seconds = Math.max(0, Math.floor(millis / 1_000))
  if (!Number.isFinite(seconds)) return "?"
  if (seconds < 60) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes}m${two(seconds % 60)}`
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return `${hours}h${two(minutes % 60)}`
  const days = Math.floor(hours / 24)
  return days < 1_000 ? `${days}d${two(hours % 24)}h` : `${days}d`
}

/** A limit: `5m`, `90s`, `2h`, without a rest of nought. */
export const limit = (millis: number): string => age(millis).replace(/(?<=[mhd])00h?$/, "")

const units = ["", "k", "M", "G", "T"] as const

/** `950`, `1.2k`, `34M`. */
export const short = (count: number): string => {
  if (!Number.isFinite(count)) return "?"
  let value = Math.abs(count)
  let unit = 0
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1_000
    unit++
  }
  const text = unit === 0 || value >= 9.95 ? String(Math.round(value)) : value.toFixed(1)
  return `${count < 0 ? "-" : ""}${text}${units[unit]}`
}

/** `0`, `0.3`, `4.2`, `180`. */
export const perSecond = (rate: number): string =>
  rate === 0 ? "0" : rate < 0.05 ? "<0.1" : rate < 9.95 ? rate.toFixed(1) : short(rate)

/** US dollars: `$0.004`, `$3.20`, `$1.2k`. */
export const money = (dollars: number): string =>
  Math.abs(dollars) >= 1_000
    ? `$${short(dollars)}`
    : `$${dollars.toFixed(dollars !== 0 && Math.abs(dollars) < 0.1 ? 3 : 2)}`

/** `12:03:44`, in UTC. */
export const timeOfDay = (at: number): string => {
  const seconds = Math.floor(at / 1_000)
  const within = ((seconds % 86_400) + 86_400) % 86_400
  return [within / 3_600, (within / 60) % 60, within % 60].map((part) => two(Math.floor(part))).join(":")
}
