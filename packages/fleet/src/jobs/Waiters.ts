/**
 * Who waits for what in this process: for the end of a job, for an intent to be settled, for the host to have nothing to run.
 */
import { isOver, type Job, Store } from "@muster/core"
import { Deferred, Effect } from "effect"
import { patiently } from "../loop/Host.ts"
import { soundJobs } from "./SoundJobs.ts"

export const make = Effect.gen(function* () {
  const store = yield* Store
  const jobs = new Map<number, Set<Deferred.Deferred<void>>>()
  const intents = new Map<number, Deferred.Deferred<string>>()
  const quiet = new Set<Deferred.Deferred<void>>()

  /** Lets go those that wait for a job that is over; a FAILED job with a letter to come goes on in the same commit. */
  const tell = (job: Job): void => {
    const waiting = jobs.get(job.seq)
    if (waiting === undefined || !isOver(job.state)) return
    jobs.delete(job.seq)
    for (const deferred of waiting) Deferred.doneUnsafe(deferred, Effect.void)
  }

  const settle = (intent: number, outcome: string): void => {
    const deferred = intents.get(intent)
    if (deferred === undefined) return
    intents.delete(intent)
    Deferred.doneUnsafe(deferred, Effect.succeed(outcome))
  }

  /** Whoever has settled it, and whenever. */
  const lookAt = Effect.fnUntraced(function* (intent: number) {
    const [found] = yield* patiently(
      store.records({ kind: "intents", job: null, after: intent - 1, limit: 1 })
    )
    if (found?.row.intent !== intent) return
    const { job, kind, outcome } = found.row
    if (outcome !== null) return settle(intent, outcome)
    if (kind !== "cancel" || job === null) return
    // It is too late by now, and stays open: should the landing fail, the job is cancelled (R26).
    const [stored] = yield* patiently(store.jobs({ by: "seq", seqs: [job], bodies: false }))
    if (stored?.job.agent?.phase === "land") settle(intent, "too_late")
  })

  return {
    tell,
    /** Waits until the job is over; it may be over already. */
    over: Effect.fnUntraced(function* (seq: number) {
      const deferred = Deferred.makeUnsafe<void>()
      const waiting = jobs.get(seq) ?? new Set()
      jobs.set(seq, waiting.add(deferred))
      // Looked at after it is in the list: an end in between is told, and an earlier one is seen here.
      const [found] = yield* patiently(store.jobs({ by: "seq", seqs: [seq], bodies: false }))
      if (found !== undefined) tell(found.job)
      yield* Effect.onInterrupt(Deferred.await(deferred), () =>
        Effect.sync(() => {
          waiting.delete(deferred)
          if (waiting.size === 0) jobs.delete(seq)
        })
      )
    }),
    /** Looks in the store at what is waited for: another host may have brought it about. */
    lookAgain: Effect.gen(function* () {
      if (jobs.size > 0) {
        const found = yield* soundJobs(store, [...jobs.keys()])
        for (const { job } of found) tell(job)
      }
      for (const intent of intents.keys()) yield* lookAt(intent)
    }),
    /** Waits for what comes of an intent; it may be settled already. */
    settled: Effect.fnUntraced(function* (intent: number) {
      const deferred = intents.get(intent) ?? Deferred.makeUnsafe<string>()
      intents.set(intent, deferred)
      // Looked at after it is in the list, as above.
      yield* lookAt(intent)
      return yield* Effect.onInterrupt(Deferred.await(deferred), () =>
        Effect.sync(() => intents.delete(intent))
      )
    }),
    settle,
    /** Waits until `hush` says that nothing runs. */
    quiet: Effect.suspend(() => {
      const deferred = Deferred.makeUnsafe<void>()
      quiet.add(deferred)
      return Deferred.await(deferred)
    }),
    hush: (): void => {
      for (const deferred of quiet) Deferred.doneUnsafe(deferred, Effect.void)
      quiet.clear()
    }
  }
})

export type Waiters = Effect.Success<typeof make>
