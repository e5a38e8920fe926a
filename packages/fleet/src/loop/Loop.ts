/**
 * The orchestrator's loop: observe, land, refill, bank, rest (seed "Agent-orchestration model"). It carries commands out only after the
 * commit, does nothing long itself, and yields to the event loop once a turn: without that, leases and timers starve.
 */
import {
  defaults,
  HostFenced,
  type HostRow,
  Intent,
  Store,
  type StoreBroken,
  type StoreFailure,
  usedSlots
} from "@muster/core"
import { Clock, Deferred, Effect, Exit } from "effect"
import type { Agents } from "../agents/Agents.ts"
import { instant } from "../Instant.ts"
import type { Waiters } from "../jobs/Waiters.ts"
import { patiently } from "./Host.ts"
import { LoopPosition } from "./LoopPosition.ts"
import type { Batch, Mailbox } from "./Mailbox.ts"
import type { Turn, TurnDone } from "./Turn.ts"

export interface LoopOptions {
  readonly host: HostRow
  readonly mailbox: Mailbox
  readonly turn: Turn
  readonly agents: Agents
  readonly waiters: Waiters
  /** Looks at the intents of operators; called when the store has changed. True: look again soon, even if it has not. */
  readonly intents: Effect.Effect<boolean, StoreFailure>
  /** Tells those who watch events that there may be new ones. */
  readonly announce: () => void
}

/** After these the open intents are looked at again, whether or not somebody else has changed the store. */
const lookAgainAfter: ReadonlySet<string> = new Set(["CancelWanted", "Orphaned", "IntentsEnded"])

/** Runs the loop until it is interrupted, or the host loses its ownership or its store. */
export const run = Effect.fnUntraced(function* (
  options: LoopOptions
): Effect.fn.Return<never, HostFenced | StoreBroken, Store> {
  const { agents, host, mailbox, turn, waiters } = options
  const { state } = turn
  const store = yield* Store
  const clock = yield* Clock.Clock
  const now = () => instant(clock)
  const position = new LoopPosition()
  const seen = { at: Number.NEGATIVE_INFINITY, token: Number.NaN }
  const banked = { at: Number.NEGATIVE_INFINITY, as: "" }

  /** Whether another process has changed the store: then everything durable is looked at anew (R14). */
  const look = Effect.gen(function* () {
    seen.at = now()
    const token = yield* store.changed
    if (token === seen.token) return
    state.mayHaveReady = true
    const restless = yield* options.intents
    yield* waiters.lookAgain
    options.announce()
    // Seen when everything was looked at: a look that met a busy store begins anew.
    seen.token = restless ? Number.NaN : token
  })

  /** The fleet's snapshot when the freshness window has lapsed, or what operators want is not what it says; null while it is fresh. */
  const bank = Effect.suspend(() => {
    const at = now()
    const slots = turn.slots()
    const mode = Intent.modeOf(state.control, !state.refills)
    const as = `${mode} ${slots}`
    if (as === banked.as && at - banked.at < defaults.bankMillis) return Effect.succeed(null)
    return Effect.map(store.tally(at), (tally) => {
      banked.at = at
      banked.as = as
      return JSON.stringify({
        host: host.host,
        mode,
        slots,
        used_slots: usedSlots(state.owned),
        owned: state.owned.size,
        ...tally
      })
    })
  })

  const commit = (batch: Batch, snapshot: string | null) =>
    turn.turn(batch, snapshot).pipe(
      // The draft is dropped: what its peek has learnt is forgotten with it.
      Effect.tapError(() => Effect.sync(() => (state.mayHaveReady = true))),
      patiently,
      // A row of ours that moved under us means that somebody else owns it: as good as fenced (R8).
      Effect.catchTag("ORCH_STORE_STALE", () =>
        Effect.fail(new HostFenced({ host: host.host, epoch: host.epoch }))
      )
    )

  /** After the commit: answers, then commands. */
  const obey = Effect.fnUntraced(function* (batch: Batch, done: TurnDone) {
    done.committed.inserted.forEach((inserted, index) => {
      const envelope = batch.submissions[index]
      if (envelope !== undefined) Deferred.doneUnsafe(envelope.answer, Exit.succeed(inserted))
    })
    for (const job of done.written) waiters.tell(job)
    for (const { intent, outcome } of done.settled) waiters.settle(intent, outcome)
    options.announce()
    for (const command of done.commands) yield* agents.perform(command)
  })

  const rest = Effect.suspend(() => {
    const at = now()
    const { free, nextAt } = turn.vacancy(state.owned, at)
    if (free > 0 && state.mayHaveReady) return Effect.succeed("runnable_work" as const)
    const next = free > 0 ? state.nextDue : nextAt
    const due = next === null ? Number.POSITIVE_INFINITY : next - at
    const wait = Math.max(0, Math.min(due, seen.at + defaults.changedMillis - at))
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

  const pass = Effect.gen(function* () {
    if (now() - seen.at >= defaults.changedMillis) yield* patiently(look)
    const batch = mailbox.take()
    position.move("settle", "signals_drained")
    position.move("refill", "completions_decided")
    const snapshot = yield* patiently(bank)
    const done = yield* commit(batch, snapshot)
    if (snapshot !== null) {
      position.move("bank", "window_lapsed")
      position.move("rest", "banked")
    } else position.move("rest", "bank_fresh")
    if (done !== null) yield* obey(batch, done)
    // A waiting job's cancel is settled by the look that sees it cancelled; what an operator wants of an adopted job comes before its
    // recovery; and a host that has ended a drain works on at once.
    if (batch.signals.some(({ _tag }) => lookAgainAfter.has(_tag))) {
      seen.at = Number.NEGATIVE_INFINITY
      seen.token = Number.NaN
    }
    if (state.owned.size === 0 && !(state.refills && state.mayHaveReady)) waiters.hush()
  })

  const loop = Effect.gen(function* () {
    for (;;) {
      // What is committed is obeyed: an interruption waits for the end of the pass.
      yield* Effect.uninterruptible(pass)
      yield* Effect.yieldNow
      position.move("wake", yield* rest)
    }
  })
  return yield* Effect.onExit(loop, (exit) =>
    Effect.sync(() => position.move("halt", Exit.isFailure(exit) && Exit.hasFails(exit) ? "fenced" : "stop"))
  )
})
