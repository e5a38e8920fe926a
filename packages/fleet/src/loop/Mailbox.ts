/**
 * The loop's mailbox, in lanes: control first, then what agents bring back, then submissions with back-pressure (R14).
 */
import { defaults, type NewJob, type Signal } from "@muster/core"
import type { Inserted, StoreFailure } from "@muster/core"
import { Deferred, Effect, Latch, Queue } from "effect"
import type { FleetEnded } from "../Fleet.ts"

/** One submission that waits for its commit. */
export interface Envelope {
  readonly job: NewJob
  readonly answer: Deferred.Deferred<Inserted, StoreFailure | FleetEnded>
}

/** What one turn has taken. */
export interface Batch {
  readonly signals: ReadonlyArray<Signal>
  readonly submissions: ReadonlyArray<Envelope>
}

/** What waits in a lane, up to `most`; never waits. */
const takeUpTo = <A>(queue: Queue.Queue<A>, most: number): ReadonlyArray<A> => {
  const taken: Array<A> = []
  while (taken.length < most) {
    const next = Queue.takeUnsafe(queue)
    if (next === undefined || next._tag !== "Success") break
    taken.push(next.value)
  }
  return taken
}

export const make = Effect.gen(function* () {
  const control = yield* Queue.unbounded<Signal>()
  const reports = yield* Queue.unbounded<Signal>()
  const submissions = yield* Queue.bounded<Envelope>(defaults.mailboxMessages)
  const bell = yield* Latch.make()
  const lanes = {
    control: () => Queue.sizeUnsafe(control),
    reports: () => Queue.sizeUnsafe(reports),
    submissions: () => Queue.sizeUnsafe(submissions)
  }

  return {
    /** An operator's or the host's own signal. */
    command: (signal: Signal): void => {
      Queue.offerUnsafe(control, signal)
      bell.openUnsafe()
    },
    /** What an agent brings back. */
    report: (signal: Signal): void => {
      Queue.offerUnsafe(reports, signal)
      bell.openUnsafe()
    },
    /** Hands in a submission; waits for room when the lane is full. */
    submit: (envelope: Envelope): Effect.Effect<void> =>
      Effect.andThen(
        Queue.offer(submissions, envelope),
        Effect.sync(() => bell.openUnsafe())
      ),
    /** Rings without a message: something outside has changed. */
    ring: (): void => {
      bell.openUnsafe()
    },
    /** Everything that waits, at most so much, so that the commit stays short (R15); submissions fill what the others leave. Silences the bell. */
    take: (batchSize: number): Batch => {
      bell.closeUnsafe()
      const urgent = takeUpTo(control, batchSize)
      const reported = takeUpTo(reports, batchSize - urgent.length)
      const signals = urgent.length === 0 ? reported : [...urgent, ...reported]
      const taken = takeUpTo(submissions, batchSize - signals.length)
      if (Queue.sizeUnsafe(reports) + Queue.sizeUnsafe(submissions) + Queue.sizeUnsafe(control) > 0)
        bell.openUnsafe()
      return { signals, submissions: taken }
    },
    /** How much waits in a lane. */
    depth: (lane: keyof typeof lanes): number => lanes[lane](),
    /** Returns when something waits. */
    await: bell.await
  }
})

export type Mailbox = Effect.Success<typeof make>
