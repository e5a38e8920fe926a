/**
 * The orchestrator's loop: observe, land, refill, bank, rest (seed "Agent-orchestration model"). It carries commands out only after the
 * commit, does nothing long itself, and yields to the event loop once a turn: without that, leases and timers starve.
 */
import {
  defaults,
  HostFenced,
  type HostRow,
  isHandedBack,
  Store,
  type StoreBroken,
  type StoreFailure
} from "@muster/core"
import { Clock, Deferred, Effect, Exit, Result } from "effect"
import type { Agents } from "../agents/Agents.ts"
import { instant, monotonic } from "../Instant.ts"
import type { Waiters } from "../jobs/Waiters.ts"
import type { Gauges } from "../observability/Gauges.ts"
import type { Meters } from "../observability/Meters.ts"
import * as Bank from "./Bank.ts"
import * as Breakers from "./Breakers.ts"
import { patiently } from "./Host.ts"
import type { LoopPosition } from "./LoopPosition.ts"
import type { Batch, Mailbox } from "./Mailbox.ts"
import type { Ownership } from "./Ownership.ts"
import type { Trouble } from "./Trouble.ts"
import type { Turn, TurnDone } from "./Turn.ts"

export interface LoopOptions {
  readonly host: HostRow
  readonly mailbox: Mailbox
  readonly turn: Turn
  readonly agents: Agents
  readonly waiters: Waiters
  /** Looks at the intents of operators; called when the store has changed. */
  readonly intents: Effect.Effect<void, StoreFailure>
  /** Tells those who watch events that there may be new ones. */
  readonly announce: () => void
  readonly trouble: Trouble
  readonly ownership: Ownership
  readonly position: LoopPosition
  readonly meters: Meters
  readonly gauges: Gauges
}

/** What one pass decides on. */
interface Work {
  readonly batch: Batch
  /** Null: none is due. */
  snapshot: Bank.Snapshot | null
  /** A piece of a batch that was refused: no job is taken beside it. */
  readonly alone: boolean
}

/** How often the same refusal is taken for an answer before the host ends. */
const tries = 3

/** No slot may be filled. */
const none = { free: 0, nextAt: null }

/** After these the open intents are looked at again at once. Not after a cancel: one that waits for a landing would keep the loop busy. */
const lookAtOnceAfter: ReadonlySet<string> = new Set(["Orphaned", "IntentsEnded"])

/** Runs the loop until it is interrupted, or the host loses its ownership or its store. */
export const run = Effect.fnUntraced(function* (
  options: LoopOptions
): Effect.fn.Return<never, HostFenced | StoreBroken, Store> {
  const { agents, host, mailbox, meters, ownership, position, trouble, turn, waiters } = options
  const { state } = turn
  const store = yield* Store
  const clock = yield* Clock.Clock
  const now = () => instant(clock)
  const seen = { at: Number.NEGATIVE_INFINITY, token: Number.NaN }

  const bank = yield* Bank.make(host, turn, now, options.gauges.tallied)
  /** What is being decided: kept until its commit has succeeded. */
  let held: Work | null = null
  /** The rest of a batch that the store refused as a whole: each piece is committed alone. */
  const pieces: Array<Batch> = []
  let refusals = 0

  /** Whether another process has changed the store: then everything durable is looked at anew (R14). */
  const look = Effect.gen(function* () {
    seen.at = monotonic(clock)
    const token = yield* store.changed
    if (token === seen.token && !state.restless) return
    state.mayHaveReady = true
    state.breakers = yield* Breakers.hear(store, state.breakers)
    yield* options.intents
    yield* waiters.lookAgain
    options.announce()
    // Seen when everything was looked at: a look that met a busy store begins anew.
    seen.token = token
  }).pipe(
    Effect.tapError(() =>
      Effect.sync(() => {
        seen.at = Number.NEGATIVE_INFINITY
      })
    )
  )

  const commit = ({ alone, batch, snapshot }: Work) =>
    turn.turn(batch, snapshot?.text ?? null, !alone && trouble.now() === null).pipe(
      // The draft is dropped: what its peek has learnt is forgotten with it.
      Effect.tapError(() => Effect.sync(() => (state.mayHaveReady = true))),
      // A row of ours that moved under us means that somebody else owns it: as good as fenced (R8).
      Effect.catchTag("ORCH_STORE_STALE", () =>
        Effect.fail(new HostFenced({ host: host.host, epoch: host.epoch }))
      )
    )

  /** After the commit: answers, then commands. */
  const obey = Effect.fnUntraced(function* (batch: Batch, done: TurnDone, took: bigint) {
    done.committed.inserted.forEach((inserted, index) => {
      const envelope = batch.submissions[index]
      if (envelope === undefined) return
      if (inserted._tag === "Inserted") meters.submitted(envelope.job.workflowType)
      Deferred.doneUnsafe(envelope.answer, Exit.succeed(inserted))
    })
    meters.turned(took, batch.signals.length + batch.submissions.length)
    for (const job of done.written) waiters.tell(job)
    for (const { intent, outcome } of done.settled) waiters.settle(intent, outcome)
    options.announce()
    for (const breaker of done.tripped) yield* Breakers.tell(breaker)
    // Stopped or asleep since it asked the store, it may be a host no more: then nothing begins (R20).
    if (done.commands.length > 0 && !ownership.isFresh()) yield* Effect.interruptible(ownership.confirm)
    for (const command of done.commands) yield* agents.perform(command)
  })

  const rest = Effect.suspend(() => {
    const at = now()
    if (pieces.length > 0) return Effect.succeed("signal" as const)
    const { free, nextAt } = trouble.now() === null ? turn.vacancy(state.owned, at) : none
    if (free > 0 && state.mayHaveReady) return Effect.succeed("runnable_work" as const)
    const next = free > 0 ? state.nextDue : nextAt
    const due = next === null ? Number.POSITIVE_INFINITY : next - at
    const wait = Math.max(0, Math.min(due, seen.at + defaults.changedMillis - monotonic(clock)))
    return Effect.timeoutOption(mailbox.await, wait).pipe(
      Effect.map((rung) =>
        rung._tag === "Some"
          ? ("signal" as const)
          : due <= wait
            ? ("due" as const)
            : ("store_changed" as const)
      )
    )
  })

  /** What this pass decides on: what the last one could not commit, else what waits. */
  const take = (): Work => {
    const piece = pieces.shift()
    // Free slots keep a share of the commit to themselves.
    const { most } = turn.pace
    const free = Math.min(turn.vacancy(state.owned, now()).free, most / 2)
    position.move("settle", "signals_drained")
    position.move("refill", "completions_decided")
    const batch = piece ?? mailbox.take(most - Math.floor(free))
    return { batch, snapshot: null, alone: piece !== undefined }
  }

  const pass = Effect.gen(function* () {
    if (monotonic(clock) - seen.at >= defaults.changedMillis) yield* look
    const began = clock.monotonicTimeNanosUnsafe()
    const work = (held ??= take())
    work.snapshot ??= yield* bank.due
    const asked = ownership.asking()
    const done = yield* commit(work)
    held = null
    refusals = 0
    const { batch, snapshot } = work
    if (snapshot !== null) {
      bank.done(snapshot)
      position.bankedAt = snapshot.at
      position.move("bank", "window_lapsed")
      position.move("rest", "banked")
    } else position.move("rest", "bank_fresh")
    // A renewal that fails is made good by a renewal alone: without one this host is taken for lost, whatever it commits.
    yield* trouble.over("loop")
    if (done !== null) {
      ownership.confirmed(asked)
      yield* obey(batch, done, clock.monotonicTimeNanosUnsafe() - began)
    }
    // A waiting job's cancel is settled by the look that sees it cancelled; what an operator wants of an adopted job comes before its
    // recovery; and a host that has ended a drain works on at once.
    const atOnce = batch.signals.some(({ _tag }) => lookAtOnceAfter.has(_tag))
    if (atOnce) seen.at = Number.NEGATIVE_INFINITY
    if (atOnce || batch.signals.some(({ _tag }) => _tag === "CancelWanted")) seen.token = Number.NaN
    // A commit takes so much and no more: what it has left is asked for again.
    if (batch.signals.some(({ _tag }) => _tag === "Stopping") && [...state.owned.values()].some(isHandedBack))
      mailbox.command({ _tag: "Stopping" })
    if (state.owned.size === 0 && !(state.refills && state.mayHaveReady)) waiters.hush()
  })

  /**
   * What the store refuses as a whole is given to it piece by piece, without new work. A submission that is refused alone is answered so;
   * what the host itself has decided is tried a few times, and then the host ends: a bug must not spin (R8).
   */
  const yieldTo = Effect.fnUntraced(function* (refusal: StoreBroken) {
    if (held === null) return yield* refusal
    const { signals, submissions } = held.batch
    const alone = [
      ...signals.map((signal): Batch => ({ signals: [signal], submissions: [] })),
      ...submissions.map((submission): Batch => ({ signals: [], submissions: [submission] }))
    ]
    const [first, ...others] = alone
    if (first !== undefined && (others.length > 0 || !held.alone)) {
      pieces.unshift(...others)
      held = { batch: first, snapshot: null, alone: true }
      return
    }
    const [envelope] = submissions
    if (envelope !== undefined) {
      Deferred.doneUnsafe(envelope.answer, Exit.fail(refusal))
      held = { ...held, batch: { signals, submissions: [] } }
      return
    }
    if (++refusals >= tries) return yield* refusal
  })

  /** Passes until one has succeeded. A store that doesn't answer is asked again and again (R21); only between passes may this be stopped. */
  const succeed = Effect.gen(function* () {
    for (;;) {
      // What is committed is obeyed: an interruption waits for the end of the pass.
      const passed = yield* Effect.result(patiently(Effect.uninterruptible(pass)))
      if (Result.isSuccess(passed)) return
      const error = passed.failure
      if (error._tag !== "ORCH_STORE_BROKEN") return yield* error
      if (error.refused === true) yield* yieldTo(error)
      else yield* Effect.sleep(yield* trouble.met("loop", error))
    }
  })

  const loop = Effect.gen(function* () {
    for (;;) {
      yield* succeed
      yield* Effect.yieldNow
      position.move("wake", yield* rest)
    }
  })
  return yield* Effect.onExit(loop, (exit) =>
    Effect.sync(() => position.move("halt", Exit.isFailure(exit) && Exit.hasFails(exit) ? "fenced" : "stop"))
  )
})
