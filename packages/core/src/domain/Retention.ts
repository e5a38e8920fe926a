/**
 * How much a store keeps of finished jobs: by age, by count and by size, whichever bound is met first (rules.md, "Defaults, as numbers").
 * Which jobs may go at all, the store knows (R31).
 */
import { isOver, JobMachine } from "./JobMachine.ts"

/** Null: no bound. */
export interface RetentionBounds {
  /** A job that ended longer ago goes, in milliseconds. */
  readonly finishedMillis: number | null
  /** Finished jobs beyond so many go, the oldest first; those with a letter that is not discarded are not counted. */
  readonly jobs: number | null
  /** While the store takes more bytes, the oldest finished jobs go. */
  readonly bytes: number | null
}

/** What a store says of its size, as its tally has it. */
export interface StoreSize {
  readonly jobs: ReadonlyArray<{ readonly state: string; readonly count: number }>
  /** Letters that are not discarded, of jobs that no replay has superseded. */
  readonly letters: number
  /** Null: it can't tell. */
  readonly bytes: number | null
}

const finals: ReadonlySet<string> = new Set(JobMachine.states.filter(isOver))

const sum = (jobs: StoreSize["jobs"], isMeant: (state: string) => boolean): number =>
  jobs.reduce((total, { count, state }) => (isMeant(state) ? total + count : total), 0)

/** The jobs that a bound on their count counts. */
export const finishedJobs = ({ jobs, letters }: StoreSize): number =>
  Math.max(0, sum(jobs, (state) => finals.has(state)) - letters)

/** What goes next: at most so many of the jobs that ended before an instant. */
export interface Forgetting {
  readonly bound: keyof RetentionBounds
  /** Epoch ms. */
  readonly before: number
  readonly most: number
}

/**
 * What each bound asks for, as the store stands; nothing where all are kept. Age comes last: what the others take is the oldest anyway.
 *
 * @param chunk the most that goes at once
 */
export const forgettings = (
  { bytes, finishedMillis, jobs }: RetentionBounds,
  size: StoreSize,
  now: number,
  chunk: number
): ReadonlyArray<Forgetting> => {
  const found: Array<Forgetting> = []
  const excess = jobs === null ? 0 : finishedJobs(size) - jobs
  if (bytes !== null && size.bytes !== null && size.bytes > bytes) {
    // By what a job takes on average: one transaction must not take many more than are too many.
    const average =
      size.bytes /
      Math.max(
        1,
        sum(size.jobs, () => true)
      )
    found.push({
      bound: "bytes",
      before: now + 1,
      most: Math.min(chunk, Math.ceil((size.bytes - bytes) / average))
    })
  }
  if (excess > 0) found.push({ bound: "jobs", before: now + 1, most: Math.min(chunk, excess) })
  if (finishedMillis !== null)
    found.push({ bound: "finishedMillis", before: now - finishedMillis, most: chunk })
  return found
}
