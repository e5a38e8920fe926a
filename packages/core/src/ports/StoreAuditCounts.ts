/**
 * The kept counts against counting. Beside a running host no pass sees one instant, so each job is counted in the state that its chain
 * had at the sequence of the kept counts; only where that differs is the store counted again, until it stands still for as long.
 */
import { Clock, Effect } from "effect"
import type { Findings } from "../domain/audit/Finding.ts"
import { StateCounts } from "../domain/audit/fleetWide.ts"
import { Store } from "./Store.ts"
import { isKept } from "./StoreAuditCensus.ts"
import { eachRow, readable } from "./StorePages.ts"
import type { TallyRows } from "./StoreRows.ts"

const tries = 10

export interface Kept {
  readonly counts: StateCounts
  readonly letters: number
  readonly sequence: number
  /** Two reads in a row were equal, so that counts and sequence are of one instant. */
  readonly isAtRest: boolean
}

const isSame = (one: TallyRows, other: TallyRows): boolean =>
  one.sequence === other.sequence &&
  one.letters === other.letters &&
  JSON.stringify(one.jobs) === JSON.stringify(other.jobs)

const keptOf = (tally: TallyRows, isAtRest: boolean): Kept => {
  const counts = new StateCounts()
  for (const { count, state, workflow_type } of tally.jobs) counts.add(workflow_type, state, count)
  return { counts, letters: tally.letters, sequence: tally.sequence, isAtRest }
}

/** The kept counts and the sequence that they are of. */
export const keptAtRest = Effect.fnUntraced(function* (now: number) {
  const store = yield* Store
  let last = yield* store.tally(now)
  for (let tried = 0; tried < tries; tried++) {
    const next = yield* store.tally(now)
    if (isSame(last, next)) return keptOf(next, true)
    last = next
  }
  return keptOf(last, false)
})

/** Counts everything between two equal looks at the kept counts. False: the store never stood still for so long. */
const recount = Effect.fnUntraced(function* (found: Findings) {
  const store = yield* Store
  const subject = `store:${store.id}`
  for (let tried = 0; tried < tries; tried++) {
    const now = yield* Clock.currentTimeMillis
    const before = yield* store.tally(now)
    const counted = new StateCounts()
    const read = yield* readable(
      Effect.as(
        eachRow(
          (after, limit) => store.jobs({ by: "page", state: null, workflow: null, after, limit }),
          ({ job }) => job.seq,
          ({ job }) => counted.add(job.workflowType, job.state)
        ),
        true
      )
    )
    // What can't be read can't be counted; it is told by itself.
    if (read === null) return true
    let letters = 0
    yield* eachRow(
      (after, limit) => store.records({ kind: "letters", job: null, after, limit }),
      ({ cursor }) => cursor,
      ({ row }) => {
        if (isKept(row)) letters++
      }
    )
    if (!isSame(before, yield* store.tally(now))) continue
    for (const difference of counted.differences(keptOf(before, true).counts))
      found.add("tally-wrong", subject, difference)
    if (letters !== before.letters)
      found.add("tally-wrong", subject, `letters: ${before.letters} kept, ${letters} counted`)
    return true
  }
  return false
})

/**
 * @param counted each job in its state at the kept sequence
 * @param letters as many as were counted, undiscarded, of jobs that no replay has superseded
 * @returns whether it could be told
 */
export const compareCounts = Effect.fnUntraced(function* (
  kept: Kept,
  counted: StateCounts,
  letters: number,
  found: Findings
) {
  const store = yield* Store
  const [newest] = yield* store.events({ job: null, after: 0, limit: 1, order: "descending" })
  const { sequence } = yield* store.tally(yield* Clock.currentTimeMillis)
  if (newest !== undefined && newest.sequence > sequence)
    found.add("tally-wrong", `store:${store.id}`, `last event: ${sequence} kept, ${newest.sequence} there`)
  const isEqual = kept.isAtRest && counted.differences(kept.counts).length === 0 && letters === kept.letters
  return isEqual || (yield* recount(found))
})
