/**
 * What an incarnation knows of the steps before it: its own job's, and those of the jobs that it replays (R28, R31).
 */
import { isOfJob, isSeenIn, type Job, type MarkerRow, Replay, Store } from "@muster/core"
import { Effect, Schedule } from "effect"
import { patiently } from "../loop/Host.ts"

export interface Recalled {
  /** Results by the name under which each step is kept, JSON text. The incarnation adds its own. */
  readonly finished: Map<string, string>
  /** Steps that a replayed job has left open: nobody knows whether they were done. */
  readonly doubtful: ReadonlySet<string>
  /** The result of work that is finished and not yet turned down (R5), JSON text; null for none. */
  readonly commit: string | null
}

/** Of an incarnation that has nothing to recall. */
export const nothing = (): Recalled => ({ finished: new Map(), doubtful: new Set(), commit: null })

/** Whether there is anything: an earlier incarnation, or a job that this one replays. */
export const isWorthIt = (job: Job, incarnation: number): boolean => incarnation > 1 || job.replayOf !== null

const pageSize = 500

const markersOf = Effect.fnUntraced(function* (seq: number) {
  const store = yield* Store
  const found: Array<MarkerRow> = []
  for (let after = 0; ;) {
    const page = yield* store.records({ kind: "markers", job: seq, after, limit: pageSize })
    found.push(...page.map(({ row }) => row))
    const last = page.at(-1)
    if (last === undefined || page.length < pageSize) return found
    after = last.cursor
  }
})

/** The job before this one in its chain; null for the first, and where the replay was wanted fresh. */
const before = Effect.fnUntraced(function* (seq: number) {
  const store = yield* Store
  const [found] = yield* store.jobs({ by: "seq", seqs: [seq], bodies: false })
  const replayOf = found?.job.replayOf ?? null
  if (replayOf === null) return null
  const created = yield* store.events({ job: seq, after: 0, limit: 10, order: "ascending" })
  return Replay.isFresh(created) ? null : replayOf
})

const read = Effect.fnUntraced(function* (job: Job) {
  const finished = new Map<string, string>()
  const doubtful = new Set<string>()
  let commit: string | null = null
  const attempt = job.retryCount + 1
  const known = new Set<string>()
  for (let seq: number | null = job.seq; seq !== null; seq = yield* before(seq)) {
    const own = seq === job.seq
    for (const { name, result, state } of yield* markersOf(seq)) {
      if (own && name === "commit" && state === "finished") commit = result
      if (known.has(name) || !(own ? isSeenIn(name, attempt) : isOfJob(name) && isSeenIn(name, 0))) continue
      known.add(name)
      if (state === "finished") finished.set(name, result ?? "null")
      else if (state === "started" && !own) doubtful.add(name)
    }
  }
  const recalled: Recalled = { finished, doubtful, commit }
  return recalled
})

/** Reads it, for as long as it takes: without it the work would do again what is done. */
export const recall = (job: Job): Effect.Effect<Recalled, never, Store> =>
  patiently(read(job)).pipe(
    Effect.tapError((error) => Effect.logError("the steps of a job could not be read", error)),
    // The schedule has no end, so that no failure comes out.
    Effect.retry(Schedule.spaced("1 second")),
    Effect.orDie
  )
