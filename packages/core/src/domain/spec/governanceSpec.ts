/**
 * The fifth output of the seed: the checklist of dead letters and replays, each item checked against the store or the catalogue (seed,
 * "Dead-Letter Contract" and "Replay policy"; R31).
 */
import type { Catalogue } from "../ErrorCatalogue.ts"

/** What was read of the store's letters. */
export interface LetterCensus {
  readonly letters: number
  /** By what may become of them: at most one of these is true of a letter. */
  readonly eligible: number
  readonly forbidden: number
  readonly replayed: number
  readonly discarded: number
  /** Letters by code. */
  readonly codes: ReadonlyMap<string, number>
  /** Jobs in DEAD_LETTERED, and those of them that have no letter. */
  readonly quarantined: number
  readonly withoutLetter: ReadonlyArray<string>
  /** FAILED jobs whose code demands a letter. */
  readonly owedLetter: ReadonlyArray<string>
  /** Letters whose payload is gone. */
  readonly withoutPayload: ReadonlyArray<string>
  /** Letters whose retry log has fewer rows than the job has burned retries. */
  readonly withoutHistory: ReadonlyArray<string>
  /** Replays whose correlation id, trace or key isn't their original's, or that don't name it. */
  readonly strayReplays: ReadonlyArray<string>
  /** Jobs that wait for an operator's word about a step. */
  readonly parked: number
}

export interface GovernanceItem {
  readonly id: string
  /** What must be true. */
  readonly sentence: string
  /** `holds`, or what is wrong is named: `broken`; `attend`: nothing is wrong, and somebody should look. */
  readonly status: "holds" | "broken" | "attend"
  /** What was seen, in numbers. */
  readonly seen: string
  /** The jobs that it is not true of, or that wait; at most `named`. */
  readonly jobs: ReadonlyArray<string>
  /** What an operator can do. */
  readonly command: string
}

export interface GovernanceSpec {
  readonly letters: number
  readonly replay_eligible: number
  readonly forbidden: number
  readonly replayed: number
  readonly discarded: number
  readonly codes: ReadonlyArray<{
    readonly code: string
    readonly letters: number
    readonly replay_eligible: boolean
  }>
  readonly checklist: ReadonlyArray<GovernanceItem>
}

/** More offenders than these are counted, not named. */
const named = 10

const item = (
  id: string,
  sentence: string,
  offenders: ReadonlyArray<string>,
  seen: string,
  command: string
): GovernanceItem => ({
  id,
  sentence,
  status: offenders.length === 0 ? "holds" : "broken",
  seen,
  jobs: offenders.slice(0, named),
  command
})

const of = (offenders: number, all: number, what: string): string => `${offenders} of ${all} ${what}`

const waiting = (
  id: string,
  sentence: string,
  count: number,
  seen: string,
  command: string
): GovernanceItem => ({
  id,
  sentence,
  status: count === 0 ? "holds" : "attend",
  seen,
  jobs: [],
  command
})

/** Rows that would let a mandatory letter go; the catalogue refuses to be built with one. */
const letterless = (catalogue: Catalogue): ReadonlyArray<string> =>
  catalogue.entries
    .filter(
      ({ policy }) =>
        (policy.retryable && !policy.deadLetterOnExhaustion) ||
        (policy.severity === "critical" && !policy.quarantine)
    )
    .map(({ policy }) => policy.code)

export const governanceSpec = (catalogue: Catalogue, census: LetterCensus): GovernanceSpec => {
  const { letters } = census
  const rows = letterless(catalogue)
  return {
    letters,
    replay_eligible: census.eligible,
    forbidden: census.forbidden,
    replayed: census.replayed,
    discarded: census.discarded,
    codes: Array.from(census.codes, ([code, count]) => ({
      code,
      letters: count,
      replay_eligible: catalogue.lookup(code).policy.replayEligible
    })),
    checklist: [
      item(
        "letter-mandatory",
        "No row of the catalogue lets a mandatory dead letter go: exhausted budgets and critical codes are quarantined.",
        rows,
        of(rows.length, catalogue.entries.length, "rows"),
        "muster policy"
      ),
      item(
        "letter-present",
        "Every DEAD_LETTERED job has its letter.",
        census.withoutLetter,
        of(census.withoutLetter.length, census.quarantined, "quarantined jobs without one"),
        "muster audit"
      ),
      item(
        "letter-owed",
        "No job stays FAILED whose code demands a letter.",
        census.owedLetter,
        `${census.owedLetter.length} jobs that owe one`,
        "muster audit"
      ),
      item(
        "payload-kept",
        "The payload that a letter refers to is there, so that it can be looked at and replayed.",
        census.withoutPayload,
        of(census.withoutPayload.length, letters, "letters without it"),
        "muster dlq show JOB"
      ),
      item(
        "history-kept",
        "Every retry before the letter is in the retry log, with its code and its delay.",
        census.withoutHistory,
        of(census.withoutHistory.length, letters, "letters with gaps"),
        "muster dlq show JOB"
      ),
      item(
        "replay-linked",
        "A replay is a new job that names its original, with its key, correlation id and trace.",
        census.strayReplays,
        of(census.strayReplays.length, census.replayed, "replays that don't"),
        "muster audit"
      ),
      waiting(
        "replay-decided",
        "Letters that may be replayed are replayed, forbidden or discarded by somebody.",
        census.eligible,
        of(census.eligible, letters, "letters that may be replayed"),
        "muster dlq replay --all --dry-run"
      ),
      waiting(
        "replay-forbidden",
        "Letters that may not be replayed are allowed or discarded by somebody who answers for it.",
        census.forbidden,
        of(census.forbidden, letters, "letters that may not be replayed"),
        "muster dlq allow JOB --reason TEXT"
      ),
      waiting(
        "outcome-settled",
        "No job waits for an operator's word about a step whose outcome is unknown.",
        census.parked,
        `${census.parked} jobs that are parked`,
        "muster settle JOB"
      )
    ]
  }
}
