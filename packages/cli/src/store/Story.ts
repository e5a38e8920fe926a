/**
 * Everything that the store keeps of one job.
 */
import {
  type Job,
  type LetterRow,
  type LifecycleEvent,
  type MarkerRow,
  type RetryRow,
  Store,
  type StoredJob
} from "@muster/core"
import * as Effect from "effect/Effect"
import { allRows } from "./Pages.ts"

/** Events of one job that are read; a longer story is for `muster events`. */
export const storyEvents = 1_000

export interface Story extends StoredJob {
  /** The newest `storyEvents`, the oldest first. */
  readonly events: ReadonlyArray<LifecycleEvent>
  readonly retries: ReadonlyArray<RetryRow>
  readonly letter: (LetterRow & { readonly replayed_by: number | null }) | null
  /** The chain of replays that it is in, the oldest first; the job alone where there is none. */
  readonly chain: ReadonlyArray<Job>
  /** What its agents have begun and finished (R28), and the runtime's own: the oldest first. */
  readonly markers: ReadonlyArray<MarkerRow>
  /** An operator's cancel is recorded and not answered. */
  readonly cancelRequested: boolean
}

export const retriesOf = Effect.fnUntraced(function* (seq: number) {
  const store = yield* Store
  const records = yield* allRows(
    (after, limit) => store.records({ kind: "retries", job: seq, after, limit }),
    ({ cursor }) => cursor
  )
  return records.map(({ row }) => row)
})

const markersOf = Effect.fnUntraced(function* (seq: number) {
  const store = yield* Store
  const records = yield* allRows(
    (after, limit) => store.records({ kind: "markers", job: seq, after, limit }),
    ({ cursor }) => cursor
  )
  return records.map(({ row }) => row)
})

const letterOf = Effect.fnUntraced(function* (seq: number) {
  const store = yield* Store
  const [record] = yield* store.records({ kind: "letters", job: seq, after: 0, limit: 1 })
  return record?.row ?? null
})

const isCancelRequested = Effect.fnUntraced(function* (seq: number) {
  const store = yield* Store
  const open = yield* store.records({ kind: "intents", job: seq, after: 0, limit: 10, open: true })
  return open.some(({ row }) => row.kind === "cancel")
})

/** Follows the links of replays both ways; a job that was forgotten ends them. */
const chainOf = Effect.fnUntraced(function* (job: Job) {
  const store = yield* Store
  const chain = [job]
  const walk = Effect.fnUntraced(function* (next: (end: Job) => number | null, add: (found: Job) => void) {
    for (let seq = next(job); seq !== null;) {
      const [found] = yield* store.jobs({ by: "seq", seqs: [seq], bodies: false })
      if (found === undefined) return
      add(found.job)
      seq = next(found.job)
    }
  })
  yield* walk(
    ({ replayOf }) => replayOf,
    (found) => chain.unshift(found)
  )
  yield* walk(
    ({ supersededBy }) => supersededBy,
    (found) => chain.push(found)
  )
  return chain
})

/** @param id as people type it; an unknown one is ORCH_JOB_NOT_FOUND */
export const read = Effect.fnUntraced(function* (id: string) {
  const store = yield* Store
  const stored = yield* store.job(id)
  const { seq } = stored.job
  const newest = yield* store.events({ job: seq, after: 0, limit: storyEvents, order: "descending" })
  const story: Story = {
    ...stored,
    events: newest.toReversed(),
    retries: yield* retriesOf(seq),
    letter: yield* letterOf(seq),
    chain: yield* chainOf(stored.job),
    markers: yield* markersOf(seq),
    cancelRequested: yield* isCancelRequested(seq)
  }
  return story
})
