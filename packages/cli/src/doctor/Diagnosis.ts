/**
 * What one check of `muster doctor` has found: how things stand, and what one can do about it.
 */

/** In the order in which they are told. */
export const checks = [
  "node",
  "versions",
  "configuration",
  "store",
  "disk",
  "clock",
  "hosts",
  "work",
  "sockets",
  "processes",
  "workspaces",
  "logs",
  "drift"
] as const
export type Check = (typeof checks)[number]

export const verdicts = ["ok", "warn", "bad", "fixed"] as const

/** `warn`: it works, and is to be known. `bad`: it doesn't work, or will not for long. `fixed`: it was bad, or to be known, until now. */
export type Verdict = (typeof verdicts)[number]

export interface Diagnosis {
  readonly check: Check
  readonly verdict: Verdict
  /** One sentence without its stop. */
  readonly found: string
  /** What to do, one sentence without its stop; null where there is nothing to do. */
  readonly advice: string | null
}

/** The diagnoses of one check. */
export const of = (check: Check) => ({
  ok: (found: string): Diagnosis => ({ check, verdict: "ok", found, advice: null }),
  warn: (found: string, advice: string | null): Diagnosis => ({ check, verdict: "warn", found, advice }),
  bad: (found: string, advice: string | null): Diagnosis => ({ check, verdict: "bad", found, advice }),
  fixed: (found: string): Diagnosis => ({ check, verdict: "fixed", found, advice: null })
})

export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`

/** Some of many names. */
export const some = (names: ReadonlyArray<string>, most = 5): string =>
  names.length <= most
    ? names.join(", ")
    : `${names.slice(0, most).join(", ")} and ${names.length - most} more`
