/**
 * Markers: durable records that a step of a job is started or done, for safe re-entry (R6, R28). Which names they may have, and which of
 * them a new incarnation gets to see.
 */
import { limits } from "./Defaults.ts"

/** A step of a job that is started or done. */
export interface Marker {
  readonly name: string
  /** `cleared`: it was started, and somebody who knows has said that it was not done. */
  readonly state: "started" | "finished" | "cleared"
  readonly incarnation: number
  /** Epoch ms. */
  readonly at: number
  /** JSON text; null unless it is finished. */
  readonly result: string | null
}

/** `job`: done once for the job. `attempt`: done once in each attempt, since a rejected answer must not come back (R28). */
export type MarkerScope = "job" | "attempt"

/** The runtime's own: the result of the work before its gates, and what was brought to safety. */
const own: ReadonlySet<string> = new Set(["commit", "archive"])

// What names are told apart by, and control characters, which no terminal and no environment takes.
// oxlint-disable-next-line no-control-regex
const forbidden = /[@\u0000-\u001f\u007f]/

/** What is wrong with the name that an agent gives a step, in words; null for nothing. */
export const markerFault = (name: string): string | null => {
  if (name === "") return "a step needs a name"
  if (name.length > limits.markerNameLength)
    return `a step's name has at most ${limits.markerNameLength} characters`
  if (own.has(name)) return `the name "${name}" is the runtime's own`
  return forbidden.test(name) || !name.isWellFormed()
    ? "a step's name holds neither @ nor control characters"
    : null
}

/** The name under which a step is kept: one of an attempt carries its number, so that the next attempt doesn't find it. */
export const markerName = (name: string, scope: MarkerScope, attempt: number): string =>
  scope === "job" ? name : `${name}@${attempt}`

/** Whether a step is done once for the job, by the name under which it is kept: only its outcome can be unknown (R28). */
export const isOfJob = (name: string): boolean => !name.includes("@")

/** Whether an incarnation of this attempt gets to see the step. */
export const isSeenIn = (name: string, attempt: number): boolean =>
  !own.has(name) && (isOfJob(name) || name.endsWith(`@${attempt}`))

/** The name that the agent gave, from the one under which the step is kept. */
export const givenName = (name: string): string => name.replace(/@\d+$/, "")
