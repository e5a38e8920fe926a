/**
 * The answers of a running host: the contract over its fleet and its store. What reads the store is answered a few at a time; what streams, or
 * waits for a commit or an outcome, holds up nobody.
 */
import { type IntentRow, Store } from "@muster/core"
import { Clock, Effect, Fiber, Option, Stream } from "effect"
import { Rpc } from "effect/rpc"
import { Fleet } from "../Fleet.ts"
import { instant } from "../Instant.ts"
import * as Operations from "../jobs/Operations.ts"
import * as Settlements from "../jobs/Settlements.ts"
import * as StoreStanding from "../jobs/Standing.ts"
import { patiently } from "../loop/Host.ts"
import * as Boards from "./Boards.ts"
import { ControlRpc, protocolVersion, type Standing, type Wished } from "./ControlRpc.ts"

/** Of a list that is short by nature. */
const most = 1_000

/** Between two looks whether a wish is recorded, in milliseconds: only where its caller doesn't wait for what comes of it. */
const recordedMillis = 20

/** How long the store may take for fresh counts, in milliseconds. */
const freshMillis = 1_000

/** What is left out stays left out. */
const wishOf = (given: {
  readonly actor?: string
  readonly reason?: string
  readonly requestId?: string
  readonly host?: number
}) => ({
  ...(given.actor === undefined ? {} : { actor: given.actor }),
  ...(given.reason === undefined ? {} : { reason: given.reason }),
  ...(given.requestId === undefined ? {} : { requestId: given.requestId }),
  ...(given.host === undefined ? {} : { host: given.host })
})

export const handlers = ControlRpc.toLayer(
  Effect.gen(function* () {
    const fleet = yield* Fleet
    const store = yield* Store
    const clock = yield* Clock.Clock
    const boards = yield* Boards.make
    const { host } = yield* Effect.orDie(patiently(fleet.snapshot))

    const standing = Effect.gen(function* () {
      const snapshot = yield* patiently(fleet.snapshot)
      const { tally: _, ...rows } = yield* patiently(StoreStanding.read(store, instant(clock)))
      const answer: Standing = { snapshot, ...rows }
      return answer
    })

    /** The wish as the store has it now. */
    const wished = Effect.fnUntraced(function* ({ intent }: { readonly intent: number }) {
      const row = yield* patiently(Operations.intentRow(store, intent))
      if (row === null) return yield* Effect.die(`there is no intent ${intent}`)
      const answer: Wished = { row, open: yield* patiently(Operations.openIntents(store)) }
      return answer
    })

    /** The latest intent of that kind about the job; with `requestId` the one that carries it. Null: it is not recorded yet. */
    const intentOf = (seq: number, kind: "cancel" | "settle", requestId: string | undefined) =>
      Effect.map(
        patiently(store.records({ kind: "intents", job: seq, after: 0, limit: most })),
        (found): IntentRow | null =>
          found
            .map(({ row }) => row)
            .findLast((row) => row.kind === kind && (requestId ?? row.request_id) === row.request_id) ?? null
      )

    /**
     * Does it, and waits so long for its end; null: it goes on, and its wish is recorded. What has failed before that fails.
     */
    const within = Effect.fnUntraced(function* <A, E, E2>(
      doing: Effect.Effect<A, E>,
      waitMillis: number,
      recorded: Effect.Effect<IntentRow | null, E2>
    ) {
      const fiber = yield* Effect.forkChild(doing, { startImmediately: true })
      const ended = yield* Effect.timeoutOption(Fiber.join(fiber), waitMillis)
      if (Option.isSome(ended)) return ended.value
      while ((yield* recorded) === null) {
        const late = yield* Effect.timeoutOption(Fiber.join(fiber), recordedMillis)
        if (Option.isSome(late)) return late.value
      }
      return null
    })

    const jobOf = Effect.fnUntraced(function* (jobId: string) {
      return (yield* patiently(store.job(jobId))).job
    })

    const context = yield* Effect.context()
    const counted = Effect.gen(function* () {
      // Has the store counted for it; one that doesn't answer is told of by what it said last.
      yield* Effect.ignore(Effect.timeoutOption(fleet.snapshot, freshMillis))
      // Loaded by who asks for it: it brings a router along.
      const { formatUnsafe } = yield* Effect.promise(() => import("effect/observability/PrometheusMetrics"))
      return formatUnsafe(context)
    })

    const greeting = {
      protocol: protocolVersion,
      host,
      pid: process.pid,
      store: { id: store.id, name: store.name }
    }

    return ControlRpc.of({
      Hello: () => Rpc.fork(Effect.succeed(greeting)),
      Status: () => standing,
      Metrics: () => counted,
      Agents: () => fleet.agents,
      Jobs: ({ after, limit, state, workflow }) =>
        Effect.map(patiently(store.jobs({ by: "page", state, workflow, after, limit })), (found) =>
          found.map(({ job }) => job)
        ),
      Job: ({ jobId }) => patiently(store.job(jobId)),
      Events: (given) =>
        Rpc.fork(
          given.jobId === undefined
            ? fleet.events(given)
            : Stream.unwrap(
                // A job that isn't there is none to wait for events of.
                Effect.as(jobOf(given.jobId), fleet.events(given))
              )
        ),
      Lines: ({ jobId }) => Rpc.fork(fleet.lines(jobId)),
      Watch: ({ everyMillis }) => Rpc.fork(boards.watch(everyMillis)),
      Submit: ({ actor, submissions }) =>
        Rpc.fork(fleet.submitAll(submissions, actor === undefined ? {} : { actor })),
      Cancel: ({ jobId, waitMillis, ...given }) =>
        Rpc.fork(
          Effect.gen(function* () {
            const { seq } = yield* jobOf(jobId)
            const recorded = intentOf(seq, "cancel", given.requestId)
            const done = Effect.as(fleet.cancel(jobId, wishOf(given)), true)
            const ended = yield* within(done, waitMillis, recorded)
            const job = yield* jobOf(jobId)
            return {
              jobId: job.jobId,
              state: job.state,
              outcome: ended === null ? "requested" : "cancelled",
              intent: (yield* recorded)?.intent ?? 0,
              settlement: null
            } as const
          })
        ),
      Settle: ({ jobId, marker, outcome, result, waitMillis, ...given }) =>
        Rpc.fork(
          Effect.gen(function* () {
            const { seq } = yield* jobOf(jobId)
            const recorded = intentOf(seq, "settle", given.requestId)
            const wish = {
              outcome,
              ...(marker === undefined ? {} : { marker }),
              ...(result === undefined ? {} : { result }),
              ...wishOf(given)
            }
            const ended = yield* within(fleet.settle(jobId, wish), waitMillis, recorded)
            const job = yield* jobOf(jobId)
            const row = yield* recorded
            return {
              jobId: job.jobId,
              state: job.state,
              outcome: ended === null ? "requested" : "settled",
              intent: row?.intent ?? 0,
              settlement: ended ?? (row === null ? null : Settlements.wanted(row))
            } as const
          })
        ),
      Pause: (given) => Rpc.fork(Effect.flatMap(fleet.pause(wishOf(given)), wished)),
      Resume: (given) => Rpc.fork(Effect.flatMap(fleet.resume(wishOf(given)), wished)),
      Drain: ({ wait, ...given }) =>
        Rpc.fork(Effect.flatMap(fleet.drain({ ...wishOf(given), wait }), wished)),
      Scale: ({ slots, ...given }) => Rpc.fork(Effect.flatMap(fleet.scale(slots, wishOf(given)), wished)),
      Tell: ({ agent, ...message }) => fleet.tell(agent, message),
      Replay: ({ jobId, ...given }) => Rpc.fork(fleet.replay(jobId, given))
    })
  })
)
