/**
 * Reads what the checklist of dead letters and replays is about: the letters with their jobs, their payloads and their replays. A page of
 * letters is in memory at a time.
 */
import { Effect } from "effect"
import type { Catalogue } from "../domain/ErrorCatalogue.ts"
import { type Job, jobId } from "../domain/Job.ts"
import type { LetterCensus } from "../domain/spec/governanceSpec.ts"
import { Store, type StoredJob } from "./Store.ts"
import type { RecordRow } from "./StoreDriver.ts"
import { allRows, eachRow, readable } from "./StorePages.ts"

type Letter = Extract<RecordRow, { readonly kind: "letters" }>

/** Letters that are read at once, each with its job's bodies. */
const chunk = 50

const isLinked = (original: Job, replay: Job): boolean =>
  replay.replayOf === original.seq &&
  original.supersededBy === replay.seq &&
  replay.correlationId === original.correlationId &&
  replay.traceContext === original.traceContext &&
  replay.idempotencyKey === original.idempotencyKey

/** What is being counted. */
const makeCount = () => ({
  letters: 0,
  eligible: 0,
  forbidden: 0,
  replayed: 0,
  discarded: 0,
  codes: new Map<string, number>(),
  withoutPayload: new Array<string>(),
  withoutHistory: new Array<string>(),
  strayReplays: new Array<string>()
})

/** The jobs with these numbers that can be decoded, by number. */
const jobsOf = Effect.fnUntraced(function* (seqs: ReadonlyArray<number>, bodies: boolean) {
  const store = yield* Store
  const found = seqs.length === 0 ? [] : ((yield* readable(store.jobs({ by: "seq", seqs, bodies }))) ?? [])
  return new Map(found.map((stored): readonly [number, StoredJob] => [stored.job.seq, stored]))
})

const burnedRetries = Effect.fnUntraced(function* (seq: number) {
  const store = yield* Store
  const rows = yield* allRows(
    (after, limit) => store.records({ kind: "retries", job: seq, after, limit }),
    ({ cursor }) => cursor
  )
  return rows.filter(({ row }) => row.burned === 1).length
})

const countPage = Effect.fnUntraced(function* (
  page: ReadonlyArray<Letter>,
  count: ReturnType<typeof makeCount>
) {
  const store = yield* Store
  const jobs = yield* jobsOf(
    page.map(({ job }) => job),
    true
  )
  const replays = yield* jobsOf(
    page.flatMap(({ row }) => (row.replayed_by === null ? [] : [row.replayed_by])),
    false
  )
  for (const { job: seq, row } of page) {
    const id = jobId(store.id, seq)
    count.letters++
    count.codes.set(row.failure_error_code, (count.codes.get(row.failure_error_code) ?? 0) + 1)
    if (row.replayed_by !== null) count.replayed++
    else if (row.discarded_at !== null) count.discarded++
    else if (row.replay_eligible === 1) count.eligible++
    else count.forbidden++
    const stored = jobs.get(seq)
    if (stored === undefined || stored.payload === null) {
      count.withoutPayload.push(id)
      continue
    }
    if ((yield* burnedRetries(seq)) < stored.job.retryCount) count.withoutHistory.push(id)
    if (row.replayed_by === null) continue
    const replay = replays.get(row.replayed_by)
    // one that retention has forgotten leaves nothing to compare
    if (replay !== undefined && !isLinked(stored.job, replay.job)) count.strayReplays.push(replay.job.jobId)
  }
})

/** The jobs in a state that `isWanted` is true of. */
const jobsIn = Effect.fnUntraced(function* (state: string, isWanted: (job: Job) => boolean) {
  const store = yield* Store
  const found: Array<Job> = []
  yield* eachRow(
    (after, limit) =>
      Effect.map(
        readable(store.jobs({ by: "page", state, workflow: null, after, limit })),
        (rows) => rows ?? []
      ),
    ({ job }) => job.seq,
    ({ job }) => {
      if (isWanted(job)) found.push(job)
    }
  )
  return found
})

/** Everything that is to be known of the store's letters. */
export const letterCensus = Effect.fn("StoreLetterCensus.letterCensus")(function* (catalogue: Catalogue) {
  const store = yield* Store
  const count = makeCount()
  const lettered = new Set<number>()
  for (let after = 0; ;) {
    const page = yield* store.records({ kind: "letters", job: null, after, limit: chunk })
    yield* countPage(page, count)
    for (const { job } of page) lettered.add(job)
    const last = page.at(-1)
    if (last === undefined || page.length < chunk) break
    after = last.cursor
  }
  const quarantined = yield* jobsIn("DEAD_LETTERED", () => true)
  const owed = yield* jobsIn("FAILED", (job) => {
    const { policy } = catalogue.lookup(job.lastErrorCode ?? "*")
    return policy.retryable || policy.severity === "critical"
  })
  const parked = yield* jobsIn("RETRY_SCHEDULED", ({ hold }) => hold !== null)
  const census: LetterCensus = {
    ...count,
    quarantined: quarantined.length,
    withoutLetter: quarantined.filter(({ seq }) => !lettered.has(seq)).map((job) => job.jobId),
    owedLetter: owed.map((job) => job.jobId),
    parked: parked.length
  }
  return census
})
