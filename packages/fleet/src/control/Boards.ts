/**
 * Snapshots for boards: what the fleet has in memory, and a bounded look at the store. One look is shared by all who watch, and there is none
 * while nobody does.
 */
import {
  agentId,
  type Job,
  type JobState,
  readHold,
  Store,
  type StoreFailure,
  type TallyRows
} from "@muster/core"
import { Clock, Effect, Semaphore, Stream } from "effect"
import type { AgentGlimpse } from "../agents/Vitals.ts"
import { Fleet } from "../Fleet.ts"
import { instant, monotonic } from "../Instant.ts"
import { patiently } from "../loop/Host.ts"
import type {
  BoardAgent,
  BoardHold,
  BoardLane,
  BoardRetry,
  BoardSnapshot,
  BoardWorkflow
} from "./BoardSnapshot.ts"
import { boardBounds } from "./BoardSnapshot.ts"
import { lanesOf, type QueueSample, sampleQueue } from "./QueueSample.ts"

const boardAgent = (one: AgentGlimpse): BoardAgent => ({
  jobId: one.jobId,
  agentId: agentId(one.jobId),
  workflow: one.workflowType,
  incarnation: one.incarnation,
  attempt: one.attempt,
  state: one.state,
  phase: one.phase,
  startedAt: one.startedAt,
  phaseSince: one.phaseSince,
  lastSeenAt: one.lastEventAt,
  silenceLimitMillis: one.silenceLimitMillis,
  silenceAt: one.silenceAt,
  question: one.question,
  lastLine: one.lastLine,
  fraction: one.fraction,
  spent: { inputTokens: one.inputTokens, outputTokens: one.outputTokens, cost: one.cost }
})

const count = (jobs: Readonly<Record<string, number>>, state: JobState): number => jobs[state] ?? 0

const workflowsOf = (tally: TallyRows, served: ReadonlySet<string>): ReadonlyArray<BoardWorkflow> => {
  const found = new Map<string, Record<string, number>>()
  for (const { count: jobCount, state, workflow_type } of tally.jobs) {
    const jobs = found.get(workflow_type) ?? {}
    jobs[state] = (jobs[state] ?? 0) + jobCount
    found.set(workflow_type, jobs)
  }
  for (const name of served) if (!found.has(name)) found.set(name, {})
  return Array.from(found, ([workflow, jobs]) => ({
    workflow,
    served: served.has(workflow),
    jobs: {
      PENDING: count(jobs, "PENDING"),
      VALIDATING: count(jobs, "VALIDATING"),
      PROCESSING: count(jobs, "PROCESSING"),
      RETRY_SCHEDULED: count(jobs, "RETRY_SCHEDULED"),
      COMPLETED: count(jobs, "COMPLETED"),
      FAILED: count(jobs, "FAILED"),
      DEAD_LETTERED: count(jobs, "DEAD_LETTERED"),
      CANCELLED: count(jobs, "CANCELLED")
    }
  })).toSorted((a, b) => (a.workflow < b.workflow ? -1 : 1))
}

/** Larger priorities first. */
const inOrder = (a: BoardLane, b: BoardLane): number =>
  b.priority - a.priority || (a.workflow < b.workflow ? -1 : 1)

const retriesOf = (scheduled: ReadonlyArray<Job>): ReadonlyArray<BoardRetry> =>
  scheduled
    .filter(({ hold }) => hold === null)
    .toSorted((a, b) => a.runAt - b.runAt)
    .slice(0, boardBounds.retries)
    .map(({ jobId, lastErrorCode, maxRetries, retryCount, runAt, workflowType }) => ({
      jobId,
      workflow: workflowType,
      dueAt: runAt,
      retryCount,
      maxRetries,
      code: lastErrorCode
    }))

const holdsOf = (scheduled: ReadonlyArray<Job>): ReadonlyArray<BoardHold> =>
  scheduled
    .flatMap(({ hold, jobId, workflowType }) => {
      const held = readHold(hold)
      return held === null ? [] : [{ jobId, workflow: workflowType, markers: held.markers, since: held.at }]
    })
    .toSorted((a, b) => a.since - b.since)
    .slice(0, boardBounds.holds)

/** The store is looked at for lists no more often than this, in milliseconds, however many watch. */
const lookMillis = 1_000
/** A snapshot that is younger is given to another watcher as well, in milliseconds. */
const freshMillis = 90

/** What the store has told. */
interface Look extends QueueSample {
  readonly sequence: number
}

/** Something that was made, and when: monotonic milliseconds. */
interface Made<A> {
  readonly at: number
  readonly value: A
}

export const make = Effect.gen(function* () {
  const fleet = yield* Fleet
  const store = yield* Store
  const clock = yield* Clock.Clock
  const one = yield* Semaphore.make(1)
  let looked: Made<Look> | null = null
  let made: Made<BoardSnapshot> | null = null

  const look = Effect.fnUntraced(function* (
    sequence: number,
    workflows: ReadonlyArray<BoardWorkflow>,
    now: number
  ) {
    const at = monotonic(clock)
    if (looked !== null && (looked.value.sequence === sequence || at - looked.at < lookMillis))
      return looked.value
    const waiting = workflows.map(({ jobs, workflow }) => ({
      workflow,
      pending: jobs.PENDING,
      scheduled: jobs.RETRY_SCHEDULED
    }))
    const value: Look = { sequence, ...(yield* patiently(sampleQueue(store, waiting, now))) }
    looked = { at, value }
    return value
  })

  const take = Effect.gen(function* () {
    const now = yield* patiently(fleet.snapshot)
    const { sequence } = now.tally
    const at = instant(clock)
    const workflows = workflowsOf(now.tally, new Set(now.workflows))
    const { scheduled, waiting } = yield* look(sequence, workflows, at)
    const board: BoardSnapshot = {
      at,
      sequence,
      store: { id: store.id, name: store.name },
      host: now.host,
      startedAt: now.startedAt,
      mode: now.mode,
      slots: now.slots,
      used: now.usedSlots,
      hung: now.hung,
      agents: now.agents.toSorted((a, b) => a.startedAt - b.startedAt || a.seq - b.seq).map(boardAgent),
      workflows,
      queue: lanesOf(waiting, at).toSorted(inOrder).slice(0, boardBounds.lanes),
      queueSampled: waiting.length,
      retries: retriesOf(scheduled),
      holds: holdsOf(scheduled),
      breakers: now.breakers,
      letters: now.tally.letters,
      throughput: now.throughput,
      spent: now.spent,
      loop: now.loop,
      trouble: now.trouble
    }
    return board
  })

  const snapshot = one.withPermit(
    Effect.suspend(() => {
      const at = monotonic(clock)
      if (made !== null && at - made.at < freshMillis) return Effect.succeed(made.value)
      return Effect.tap(take, (value) => Effect.sync(() => (made = { at, value })))
    })
  )

  return {
    /** One at once, then one each `everyMillis`; a reader that is slower gets fewer, each fresh. */
    watch: (everyMillis: number): Stream.Stream<BoardSnapshot, StoreFailure> =>
      Stream.mapEffect(Stream.tick(everyMillis), () => snapshot)
  }
})
