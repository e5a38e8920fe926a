/**
 * The audit of a whole store: reads it, page by page, and tells what shouldn't be. It writes nothing, needs a few bytes of memory a job,
 * and may run beside hosts: what it finds of a job that moves meanwhile is looked at again before it is told.
 */
import { Clock, Effect } from "effect"
import type { AuditSeverity, Finding } from "../domain/audit/Finding.ts"
import { Findings } from "../domain/audit/Finding.ts"
import { checkSilence, StateCounts } from "../domain/audit/fleetWide.ts"
import type { JobVerdict } from "../domain/audit/JobAudit.ts"
import { JobCounts } from "../domain/audit/JobNumbers.ts"
import type { Catalogue } from "../domain/ErrorCatalogue.ts"
import { jobId } from "../domain/Job.ts"
import { Store } from "./Store.ts"
import { takeCensus } from "./StoreAuditCensus.ts"
import { compareCounts, keptAtRest } from "./StoreAuditCounts.ts"
import { checkHosts, checkIntents, readHosts } from "./StoreAuditHosts.ts"
import { makeExaminer } from "./StoreAuditJob.ts"
import { checkStrays } from "./StoreAuditStrays.ts"
import type { StoreFailure } from "./StoreDriver.ts"
import { readable } from "./StorePages.ts"

export interface StoreAuditOptions<E, R> {
  /** By which retries and letters are judged: that of the hosts. */
  readonly catalogue: Catalogue
  /** Told each finding as it is made, so that none has to be kept. */
  readonly report: (finding: Finding) => Effect.Effect<void, E, R>
}

/** What was read, and how much of it was found wrong. */
export interface StoreAudited {
  readonly jobs: number
  readonly events: number
  /** Retry rows, letters and markers. */
  readonly records: number
  readonly faults: number
  readonly notes: number
  /** What could not be judged, since the store changed whenever it was looked at. */
  readonly unjudged: ReadonlyArray<string>
}

/** Jobs that are read at once, with their bodies: at 2 MiB a job at most. */
const chunk = 50

/** Audits the store at hand. */
export const auditStore = Effect.fn("StoreAudit.auditStore")(function* <E = never, R = never>(
  options: StoreAuditOptions<E, R>
) {
  const store = yield* Store
  const told: { [Severity in AuditSeverity]: number } = { fault: 0, note: 0 }
  const report = (finding: Finding): Effect.Effect<void, E, R> => {
    told[finding.severity]++
    return options.report(finding)
  }
  const unjudged: Array<string> = []
  const now = yield* Clock.currentTimeMillis
  const kept = yield* keptAtRest(now)
  const census = yield* takeCensus(kept.sequence)
  const counted = new StateCounts()
  const seen = new JobCounts()
  let jobs = 0
  const examiner = yield* makeExaminer(options.catalogue, census)

  const conclude = Effect.fnUntraced(function* (workflow: string, verdict: JobVerdict) {
    for (const finding of verdict.findings) yield* report(finding)
    if (verdict.stateAtBound !== null) counted.add(workflow, verdict.stateAtBound)
  })

  const examine = Effect.fnUntraced(function* (
    seqs: ReadonlyArray<number>
  ): Effect.fn.Return<void, StoreFailure | E, Store | R> {
    const found = yield* readable(store.jobs({ by: "seq", seqs, bodies: true }))
    if (found === null) {
      // One row at least can't be read: it is told by itself, and the others as ever.
      if (seqs.length > 1) {
        for (const seq of seqs) yield* examine([seq])
        return
      }
      const [seq = 0] = seqs
      seen.add(seq)
      jobs++
      const why = "its row holds a word that is in no table"
      yield* report({
        rule: "undecodable-row",
        severity: "fault",
        subject: `job:${jobId(store.id, seq)}`,
        detail: why
      })
      return
    }
    for (const stored of found) {
      jobs++
      seen.add(stored.job.seq)
      const verdict = yield* examiner.examine(stored)
      if (verdict === "unsettled") unjudged.push(`job ${stored.job.jobId} changed each time it was looked at`)
      else if (verdict !== null) yield* conclude(stored.job.workflowType, verdict)
    }
  })

  for (let after = 0; ;) {
    const page = yield* readable(store.jobs({ by: "page", state: null, workflow: null, after, limit: chunk }))
    if (page === null) {
      yield* examine(Array.from({ length: chunk }, (_, index) => after + 1 + index))
      after += chunk
      continue
    }
    const last = page.at(-1)
    if (last === undefined) break
    yield* examine(page.map(({ job }) => job.seq))
    after = last.job.seq
  }

  const found = new Findings()
  for (const finding of census.findings) yield* report(finding)
  yield* checkStrays(census, seen, found)
  const scaled = yield* checkIntents(found)
  yield* checkHosts(scaled, found)
  checkSilence(yield* readHosts, found)
  const compared = yield* compareCounts(kept, counted, census.lettersKept, found)
  if (!compared) unjudged.push("the kept counts: the store never stood still")
  for (const finding of found.all) yield* report(finding)
  const audited: StoreAudited = {
    jobs,
    events: census.events.total,
    records: census.retries.total + census.letters.total + census.markers.total,
    faults: told.fault,
    notes: told.note,
    unjudged
  }
  return audited
})
