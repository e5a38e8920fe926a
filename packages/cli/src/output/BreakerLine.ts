/**
 * What a storm breaker does, in a sentence for people: why jobs wait, and until when.
 */
import type { BreakerJson } from "../json/BreakerJson.ts"
import { relative } from "./Duration.ts"

/** Without the name of its workflow. */
export const breakerLine = ({ failures, opened_at, probe_at, state }: BreakerJson, now: number): string => {
  const since = opened_at === null ? "" : `, ${relative(Date.parse(opened_at), now)}`
  const why = `${failures} attempts have failed${since}`
  if (state !== "open") return `${why}; one job is tried now, and its end decides`
  const at = probe_at === null ? now : Date.parse(probe_at)
  return at > now
    ? `${why}; one job is tried ${relative(at, now)} (${probe_at})`
    : `${why}; the next free slot tries one job`
}
