/** Invariants of keys: one operation, one job; one letter, one replay. */
import { isOver } from "../../domain/JobMachine.ts"
import { make } from "../Invariant.ts"
import { always } from "../Temporal.ts"
import type { World } from "../world/World.ts"
import { alarmed, both, type FleetInvariant } from "./Look.ts"

/** A key that two jobs hold, or on which two jobs go on. */
const sharedKey = (world: World): string | null => {
  const holders = new Map<string, number>()
  const living = new Map<string, number>()
  for (const { job, supersededBy } of world.jobs.values()) {
    const key = JSON.stringify([job.workflowType, job.idempotencyKey])
    const other = supersededBy === null ? holders.get(key) : undefined
    if (other !== undefined) return `jobs ${other} and ${job.seq} hold one key`
    if (supersededBy === null) holders.set(key, job.seq)
    if (isOver(job.state)) continue
    const beside = living.get(key)
    if (beside !== undefined) return `jobs ${beside} and ${job.seq} go on under one key`
    living.set(key, job.seq)
  }
  return null
}

/** A job that two others replay, or that says it is replayed by another one than replays it. */
const replayedTwice = (world: World): string | null => {
  const replays = new Map<number, number>()
  for (const { job } of world.jobs.values()) {
    if (job.replayOf === null) continue
    const other = replays.get(job.replayOf)
    if (other !== undefined) return `jobs ${other} and ${job.seq} both replay job ${job.replayOf}`
    replays.set(job.replayOf, job.seq)
    const source = world.jobs.get(job.replayOf)
    if (source !== undefined && source.supersededBy !== job.seq)
      return `job ${job.seq} replays job ${job.replayOf}, which says ${source.supersededBy}`
  }
  return null
}

export const keys: ReadonlyArray<FleetInvariant> = [
  make({
    id: "one-live-job-a-key",
    sentence:
      "A key is held by one job, and a duplicate of it never makes a second that goes on beside the first.",
    lanes: ["submitter", "operator"],
    primitive: "unique_constraint",
    temporal: always(both(sharedKey, alarmed("key-shared"))),
    source: "seed 1, Deduplication behavior; R17"
  }),
  make({
    id: "one-replay-a-letter",
    sentence: "A dead letter that is replayed makes one job, however many ask for it at once.",
    lanes: ["operator", "loop"],
    primitive: "unique_constraint",
    temporal: always(both(replayedTwice, alarmed("replayed-twice"))),
    source: "seed 1, Replay policy; R31"
  })
]
