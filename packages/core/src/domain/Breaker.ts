/**
 * The storm breaker of one workflow: when too many of its latest attempts have failed for a passing reason, its jobs wait and burn nothing,
 * until one probe has shown that they may go on (design, "Agents, supervision, recovery"). What is open is the store's and shared by all
 * hosts; the latest outcomes are each host's own.
 */

export interface BreakerPolicy {
  /** It opens at so many failures … */
  readonly failures: number
  /** … among the last so many attempts … */
  readonly attempts: number
  /** … that lie within so many milliseconds. */
  readonly windowMillis: number
  /** From its opening to the next probe, in milliseconds. */
  readonly probeMillis: number
}

export const breakerStates = ["closed", "open", "half_open"] as const
export type BreakerState = (typeof breakerStates)[number]

/** What the store keeps of a breaker. */
export interface BreakerRecord {
  readonly state: BreakerState
  /** Epoch ms since when jobs wait; null while it is closed. */
  readonly openedAt: number | null
  /** Epoch ms. Open: when a probe may start. Half-open: when a probe that still works counts as sound. Null while it is closed. */
  readonly probeAt: number | null
  /** The failures that opened it, and the probes that have failed since. */
  readonly failures: number
  /** Epoch ms of its latest change; 0: it has never opened. */
  readonly at: number
}

export interface Breaker extends BreakerRecord {
  /** The latest attempts on this host, oldest first: the instant of a failure, null for one that went well. Only while it is closed. */
  readonly outcomes: ReadonlyArray<number | null>
  /** The job that this host has sent ahead; null while it has not, or another host has. */
  readonly probe: number | null
  /** Jobs that this host has started since it closed: these starts are spread. */
  readonly started: number
}

/** How an attempt ended, as far as a breaker cares: `other` says nothing about the workflow's health. */
export type AttemptEnd = "success" | "failure" | "held" | "other"

/** A breaker that has never opened. */
export const untripped: Breaker = {
  state: "closed",
  openedAt: null,
  probeAt: null,
  failures: 0,
  at: 0,
  outcomes: [],
  probe: null,
  started: 0
}

const closed = (now: number): Breaker => ({ ...untripped, at: now })

/** Takes the end of an attempt of a closed breaker into account. An open one has heard enough. */
export const record = (
  breaker: Breaker,
  end: "success" | "failure",
  now: number,
  policy: BreakerPolicy
): Breaker => {
  if (breaker.state !== "closed") return breaker
  // What went well before the first failure changes no count: a healthy workflow costs nothing.
  if (end === "success" && breaker.outcomes.length === 0) return breaker
  const latest = [...breaker.outcomes, end === "failure" ? now : null].slice(-policy.attempts)
  const first = latest.findIndex((at) => at !== null)
  const outcomes = first === -1 ? [] : latest.slice(first)
  // A failure of the future still counts: a clock that was set back must not forgive.
  const failures = outcomes.filter((at) => at !== null && at > now - policy.windowMillis).length
  if (end === "success" || failures < policy.failures) return { ...breaker, outcomes }
  return {
    ...untripped,
    state: "open",
    openedAt: now,
    probeAt: now + policy.probeMillis,
    failures,
    at: now
  }
}

/** What a breaker lets a host start now, and when to ask again; null: when something has happened. */
export type Allowed =
  /** Everything. */
  | { readonly _tag: "Closed" }
  /** One job, as its probe. */
  | { readonly _tag: "Probe" }
  | { readonly _tag: "Wait"; readonly until: number | null }

/**
 * Asks for leave to start jobs. A probe of which nobody has told the end for `patienceMillis` after it should have counted as sound is
 * lost, with whoever started it.
 */
export const allow = (
  { at, probe, probeAt, state }: Breaker,
  now: number,
  policy: BreakerPolicy,
  patienceMillis: number
): Allowed => {
  if (state === "closed" || probeAt === null) return { _tag: "Closed" }
  if (state === "open") {
    // A clock that was set back doesn't prolong the wait beyond two probes' time.
    const due = now >= probeAt || probeAt - now > 2 * policy.probeMillis
    return due ? { _tag: "Probe" } : { _tag: "Wait", until: probeAt }
  }
  if (probe !== null) return { _tag: "Wait", until: probeAt }
  const lostAt = probeAt + patienceMillis
  const due = now >= lostAt || lostAt - now > 2 * (lostAt - at)
  return due ? { _tag: "Probe" } : { _tag: "Wait", until: lostAt }
}

/** Half-opens it with job number `seq` as its probe, which counts as sound once it has worked for `soundMillis`. */
export const sendProbe = (breaker: Breaker, seq: number, now: number, soundMillis: number): Breaker => ({
  ...breaker,
  state: "half_open",
  probeAt: now + soundMillis,
  at: now,
  probe: seq
})

/** Takes the end of the probe into account; the end of any other job changes nothing. */
export const endProbe = (
  breaker: Breaker,
  seq: number,
  end: AttemptEnd,
  now: number,
  policy: BreakerPolicy
): Breaker => {
  if (breaker.state !== "half_open" || breaker.probe !== seq) return breaker
  if (end === "success") return closed(now)
  return {
    ...breaker,
    state: "open",
    // What says nothing lets the next one try at once; what was asked for patience gets some.
    probeAt: end === "other" ? now : now + policy.probeMillis,
    failures: breaker.failures + (end === "failure" ? 1 : 0),
    at: now,
    probe: null
  }
}

/**
 * Another host has changed it: its record replaces what this host knew, unless it is what this host knows. A probe of this host goes on
 * where both have sent one: the other one may have lost its job to this one, and then nobody else can tell of an end.
 */
export const heard = (known: Breaker, stored: BreakerRecord): Breaker =>
  known.at === stored.at && known.state === stored.state && known.probeAt === stored.probeAt
    ? known
    : { ...untripped, ...stored, probe: stored.state === "half_open" ? known.probe : null }
