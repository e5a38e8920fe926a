/**
 * Spans of time in a few characters, for tables: `250ms`, `3.2s`, `5m`, `2h 5m`, `3d`.
 */
const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

const two = (whole: number, unit: string, rest: number, restUnit: string): string =>
  rest === 0 ? `${whole}${unit}` : `${whole}${unit} ${rest}${restUnit}`

export const brief = (millis: number): string => {
  const span = Math.max(0, Math.round(millis))
  if (span < second) return `${span}ms`
  if (span < 10 * second) return `${Number((Math.floor(span / 100) / 10).toFixed(1))}s`
  if (span < minute) return `${Math.floor(span / second)}s`
  if (span < hour) return two(Math.floor(span / minute), "m", Math.floor((span % minute) / second), "s")
  if (span < day) return two(Math.floor(span / hour), "h", Math.floor((span % hour) / minute), "m")
  return two(Math.floor(span / day), "d", Math.floor((span % day) / hour), "h")
}

/** How long ago, or how long until; `now` in the same clock. */
export const relative = (instant: number, now: number): string =>
  instant > now ? `in ${brief(instant - now)}` : `${brief(now - instant)} ago`
