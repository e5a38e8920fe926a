/**
 * A bounded look at the jobs that wait, for boards: some of them, and lanes by workflow and priority counted over those.
 */
import type { Job, StoreService } from "@muster/core"
import { Effect } from "effect"
import { type BoardLane, boardBounds } from "./BoardSnapshot.ts"

/** With more waiting jobs than these a store may have to walk to find some of one state: then the head of the queue is asked for alone. */
const few = 10_000
/** So many of them. */
const head = 100

export interface QueueSample {
  /** PENDING jobs. */
  readonly waiting: ReadonlyArray<Job>
  /** RETRY_SCHEDULED jobs; none where only the head of the queue was asked for. */
  readonly scheduled: ReadonlyArray<Job>
}

/** How many jobs of each workflow wait. */
export interface Waiting {
  readonly workflow: string
  readonly pending: number
  readonly scheduled: number
}

export const sampleQueue = Effect.fnUntraced(function* (
  store: StoreService,
  waiting: ReadonlyArray<Waiting>,
  now: number
) {
  const pending = waiting.filter((one) => one.pending > 0)
  const count = waiting.reduce((sum, one) => sum + one.pending + one.scheduled, 0)
  if (count > few) {
    const names = pending.map(({ workflow }) => workflow)
    const { jobs } = yield* store.ready(names, now, head)
    const found = jobs.flatMap(({ job }) => (job.state === "PENDING" ? [job] : []))
    const sample: QueueSample = { waiting: found, scheduled: [] }
    return sample
  }
  const page = (state: string) =>
    Effect.map(
      store.jobs({ by: "page", state, workflow: null, after: 0, limit: boardBounds.sampled }),
      (found) => found.map(({ job }) => job)
    )
  const sample: QueueSample = {
    waiting: pending.length === 0 ? [] : yield* page("PENDING"),
    scheduled: waiting.some((one) => one.scheduled > 0) ? yield* page("RETRY_SCHEDULED") : []
  }
  return sample
})

const least = (a: number | null, b: number): number => (a === null ? b : Math.min(a, b))

/** The lanes of these jobs, in no order. */
export const lanesOf = (waiting: ReadonlyArray<Job>, now: number): ReadonlyArray<BoardLane> => {
  const lanes = new Map<string, BoardLane>()
  for (const { priority, runAt, workflowType } of waiting) {
    const key = `${priority} ${workflowType}`
    const lane = lanes.get(key) ?? {
      workflow: workflowType,
      priority,
      waiting: 0,
      oldestSince: null,
      nextDueAt: null
    }
    const isDue = runAt <= now
    lanes.set(key, {
      ...lane,
      waiting: lane.waiting + 1,
      oldestSince: isDue ? least(lane.oldestSince, runAt) : lane.oldestSince,
      nextDueAt: isDue ? lane.nextDueAt : least(lane.nextDueAt, runAt)
    })
  }
  return Array.from(lanes.values())
}
