/**
 * Gives lines to a fleet as jobs, or takes up what waits already, follows the events and returns when all of them are over.
 */
import {
  isOver,
  JobMachine,
  type LifecycleEvent,
  seqOf,
  Store,
  type StoredJob,
  type Submission,
  readHold
} from "@muster/core"
import { Fleet, type Submitted } from "@muster/fleet"
import { Clock, Deferred, Effect, Fiber, Schedule, Semaphore, Stream } from "effect"
import type { JobLine } from "./JobLine.ts"
import type { News, Reporter } from "./News.ts"
import type { RunJob, RunProgress } from "./RunProgress.ts"

export interface RunCounts {
  /** Lines that were given to the fleet. */
  lines: number
  /** Jobs that are new with this run. */
  submitted: number
  /** Lines whose job was there already, from an earlier run or an earlier line. */
  duplicates: number
  /** Those of them whose job was over before. */
  already: number
  conflicts: number
}

export interface RunPlan {
  /** Null: works the jobs that wait. */
  readonly lines: ReadonlyArray<JobLine> | null
  readonly workflows: ReadonlySet<string>
  readonly progress: RunProgress
  readonly counts: RunCounts
  readonly reporter: Reporter
}

/** Lines that are handed in together: enough for a full commit, few enough that the first jobs start at once. */
const chunkLines = 1_000
const pageSize = 1_000

/** Another process holds the store for a moment: asked again (R15). */
const whileBusy = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.retry(effect, {
    while: ({ _tag }) => _tag === "ORCH_STORE_BUSY",
    schedule: Schedule.spaced("20 millis")
  })

const unfinished = JobMachine.states.filter((state) => !isOver(state))

/** Works until the plan's jobs are over, in the fleet at hand. */
export const runJobs = Effect.fnUntraced(function* (plan: RunPlan) {
  const { counts, progress, reporter } = plan
  const fleet = yield* Fleet
  const store = yield* Store
  const done = yield* Deferred.make<void>()
  // Who submits knows a job's id only with the answer; events of the chunk at hand wait for it.
  const oneByOne = Semaphore.makeUnsafe(1)
  let allGiven = false

  const checkDone = Effect.suspend(() =>
    allGiven && progress.waiting === 0 ? Deferred.succeed(done, undefined) : Effect.void
  )

  const storedJobs = Effect.fnUntraced(function* (jobs: ReadonlyArray<RunJob>) {
    const byId = new Map<string, StoredJob>()
    for (let from = 0; from < jobs.length; from += pageSize) {
      const seqs = jobs.slice(from, from + pageSize).flatMap(({ jobId }) => seqOf(store.id, jobId) ?? [])
      for (const stored of yield* store.jobs({ by: "seq", seqs, bodies: true })) {
        byId.set(stored.job.jobId, stored)
      }
    }
    return byId
  })

  /** Asks the store about jobs that look over, and ends the wait for those that are. */
  const ended = Effect.fnUntraced(function* (jobs: ReadonlyArray<RunJob>, already: boolean) {
    if (jobs.length === 0) return []
    const stored = yield* storedJobs(jobs)
    return jobs.flatMap((job): ReadonlyArray<Extract<News, { readonly _tag: "Over" }>> => {
      const found = stored.get(job.jobId)
      if (found === undefined || !progress.end(job, found.job)) return []
      return [{ _tag: "Over", job, stored: found, already }]
    })
  })

  const follow = Effect.fnUntraced(function* (events: ReadonlyArray<LifecycleEvent>) {
    const news: Array<News> = []
    /** Where each job was spoken of last: its end is told there. */
    const lastAt = new Map<RunJob, number>()
    for (const event of events) {
      const job = progress.observe(event)
      if (job === undefined) continue
      lastAt.set(job, news.push({ _tag: "Event", job, event }) - 1)
    }
    const over = yield* ended(
      Array.from(lastAt.keys()).filter((job) => progress.looksOver(job)),
      false
    )
    const endAt = new Map(over.map((end) => [lastAt.get(end.job), end]))
    const inOrder: Array<News> = []
    for (const [index, one] of news.entries()) {
      const end = endAt.get(index)
      inOrder.push(one)
      if (end !== undefined) inOrder.push(end)
    }
    if (inOrder.length > 0) yield* reporter.tell(inOrder)
    yield* checkDone
  })

  /** The rows of jobs that were there already. */
  const formerOf = Effect.fnUntraced(function* (answers: ReadonlyArray<Submitted>) {
    const seqs = answers.flatMap(({ _tag, jobId }) =>
      _tag === "Duplicate" ? (seqOf(store.id, jobId) ?? []) : []
    )
    const found = seqs.length === 0 ? [] : yield* store.jobs({ by: "seq", seqs, bodies: false })
    return new Map(found.map(({ job }) => [job.jobId, job]))
  })

  const giveChunk = Effect.fnUntraced(function* (lines: ReadonlyArray<JobLine>) {
    const submissions: ReadonlyArray<Submission> = lines.map(({ submission }) => submission)
    const answers = yield* fleet.submitAll(submissions)
    const former = yield* formerOf(answers)
    const news: Array<News> = []
    const overBefore: Array<RunJob> = []
    for (const [index, answer] of answers.entries()) {
      const line = lines[index]
      if (line === undefined) continue
      const { idempotencyKey, workflowType } = line.submission
      counts.lines++
      if (answer._tag === "Conflict") {
        counts.conflicts++
        news.push({
          _tag: "Conflict",
          line: line.line,
          workflowType,
          key: idempotencyKey ?? "",
          jobId: answer.jobId
        })
        continue
      }
      const isNew = progress.job(answer.jobId) === undefined
      const { state } = answer
      const stored = former.get(answer.jobId)
      const asks = readHold(stored?.hold ?? null)?.markers ?? []
      const given = { jobId: answer.jobId, workflowType, line: line.line, state, dueAt: answer.runAt, asks }
      const job = progress.claim(given, stored?.retryCount ?? 0)
      if (answer._tag === "Inserted") counts.submitted++
      else counts.duplicates++
      if (isNew && answer._tag === "Duplicate" && isOver(state)) {
        counts.already++
        overBefore.push(job)
      }
    }
    const over = yield* ended(overBefore, true)
    if (news.length > 0 || over.length > 0) yield* reporter.tell([...news, ...over])
  })

  const takeUpWaiting = Effect.gen(function* () {
    for (const workflow of plan.workflows) {
      for (const state of unfinished) {
        for (let after = 0; ;) {
          const page = yield* store.jobs({ by: "page", state, workflow, after, limit: pageSize })
          for (const { job } of page) {
            const { jobId, retryCount, runAt, workflowType } = job
            const asks = readHold(job.hold)?.markers ?? []
            const given = { jobId, workflowType, line: null, state: job.state, dueAt: runAt, asks }
            progress.claim(given, retryCount)
          }
          const last = page.at(-1)
          if (last === undefined || page.length < pageSize) break
          after = last.job.seq
        }
      }
    }
  })

  let { sequence } = yield* store.tally(yield* Clock.currentTimeMillis)
  yield* reporter.watch(fleet)
  const following = yield* Effect.forkChild(
    Effect.suspend(() =>
      fleet.events({ after: sequence }).pipe(
        Stream.runForEachArray((events) =>
          Effect.andThen(
            oneByOne.withPermit(follow(events)),
            Effect.sync(() => {
              sequence = events.at(-1)?.sequence ?? sequence
            })
          )
        )
      )
    ).pipe(whileBusy)
  )
  const give = Effect.gen(function* () {
    if (plan.lines === null) yield* oneByOne.withPermit(takeUpWaiting)
    else {
      for (let from = 0; from < plan.lines.length; from += chunkLines) {
        yield* oneByOne.withPermit(giveChunk(plan.lines.slice(from, from + chunkLines)))
      }
    }
    allGiven = true
    yield* checkDone
    yield* Deferred.await(done)
  })
  yield* Effect.raceFirst(give, Effect.raceFirst(fleet.ended, Fiber.join(following)))
  yield* Fiber.interrupt(following)
})
