/**
 * The part of the embedding API that is for operators: pause, resume, drain, scale, replay. Each is a durable wish in the store, as it
 * would be from any other process; here its host looks at once.
 */
import { ConfigInvalid, type HostRow, Intent, type IntentRow, Store, type StoreFailure } from "@muster/core"
import { Deferred, Effect } from "effect"
import type { FleetEnded, FleetService, HostWishOptions, SettleOptions, WishAnswer } from "../Fleet.ts"
import { patiently } from "../loop/Host.ts"
import type { Mailbox } from "../loop/Mailbox.ts"
import type { Turn } from "../loop/Turn.ts"
import * as Operations from "./Operations.ts"
import * as Replays from "./Replays.ts"
import * as Settlements from "./Settlements.ts"
import type { Waiters } from "./Waiters.ts"

export interface FleetOperatorsOptions {
  readonly host: HostRow
  readonly waiters: Waiters
  readonly ended: Deferred.Deferred<never, FleetEnded>
  /** Looks at the open intents now. */
  readonly look: Effect.Effect<void, StoreFailure>
  /** Something may have been written of which this host would not hear: it looks soon, whether or not the store changes. */
  readonly unsure: Effect.Effect<void>
  readonly mailbox: Mailbox
  readonly turn: Turn
}

const answer = ({ intent, outcome }: IntentRow): WishAnswer => ({ intent, outcome })

export const make = Effect.fnUntraced(function* (options: FleetOperatorsOptions) {
  const { ended, look, mailbox, turn, unsure, waiters } = options
  const store = yield* Store
  const self = `caller:host-${options.host.host}`
  const inStore = Effect.provideService(Store, store)
  const orEnd = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E | FleetEnded> =>
    Effect.raceFirst(effect, Deferred.await(ended))

  /** An answer that is lost, or a caller that is gone, doesn't undo what was written. */
  const heard = <A, E>(writing: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.onError(writing, () => unsure)

  /** Records the wish, and makes this host look at it. */
  const ask = Effect.fnUntraced(function* (
    kind: Intent.HostIntent,
    given: HostWishOptions,
    value: string | null = null
  ) {
    const wish: Operations.HostWish = {
      kind,
      host: given.host ?? null,
      value,
      reason: given.reason ?? "caller",
      actor: given.actor ?? self,
      requestId: given.requestId ?? null
    }
    const row = yield* heard(Effect.tap(inStore(patiently(Operations.ask(wish))), patiently(look)))
    mailbox.ring()
    return row
  })

  /** Pauses and resumes are the store's: they address no host. */
  const askAll = (kind: "pause" | "resume", given: HostWishOptions) =>
    ask(kind, given).pipe(Effect.catchTag("ORCH_HOST_NOT_FOUND", Effect.die))

  const settled = Effect.fnUntraced(function* (row: IntentRow) {
    const outcome = row.outcome ?? (yield* waiters.settled(row.intent))
    return { intent: row.intent, outcome }
  })

  /** A scale is in force and stays open, unless it says what no scale says as well: that end is under way, and is told. */
  const ofScale = Effect.fnUntraced(function* (row: IntentRow) {
    if (row.outcome !== null || Intent.slotsIn(row.value) !== null) return answer(row)
    const open = yield* patiently(Operations.openIntents(store))
    const live = new Set((yield* patiently(Operations.liveHosts(store))).map(({ host }) => host))
    const isEnding = Intent.settlements(open, { live, busy: live }).some(
      ({ intent }) => intent === row.intent
    )
    const isOpen = open.some(({ intent }) => intent === row.intent)
    return isEnding || !isOpen ? yield* settled(row) : answer(row)
  })

  const settle = Effect.fn("Fleet.settle")(function* (jobId: string, given: SettleOptions) {
    const { job } = yield* patiently(store.job(jobId))
    const wish = {
      marker: given.marker ?? null,
      outcome: given.outcome,
      ...(given.outcome === "done" ? { result: given.result } : {}),
      actor: given.actor ?? self,
      reason: given.reason ?? null,
      requestId: given.requestId ?? null
    }
    const row = yield* heard(
      Effect.tap(inStore(patiently(Settlements.ask(job, wish))), ({ outcome }) =>
        outcome === null ? patiently(look) : Effect.void
      )
    )
    if (row.outcome === null) mailbox.ring()
    const outcome = row.outcome ?? (yield* waiters.settled(row.intent))
    const settlement = yield* inStore(patiently(Settlements.answerOf({ ...row, outcome })))
    return settlement ?? (yield* Effect.die("a settled intent has no outcome"))
  })

  const service: Pick<FleetService, "pause" | "resume" | "drain" | "scale" | "replay" | "settle"> = {
    settle: (jobId, given) => orEnd(settle(jobId, given)),
    pause: Effect.fn("Fleet.pause")(function* (given = {}) {
      return answer(yield* orEnd(askAll("pause", given)))
    }),
    resume: Effect.fn("Fleet.resume")(function* (given = {}) {
      return yield* orEnd(Effect.flatMap(askAll("resume", given), settled))
    }),
    drain: Effect.fn("Fleet.drain")(function* (given = {}) {
      const asked = ask("drain", given)
      return yield* orEnd(given.wait === false ? Effect.map(asked, answer) : Effect.flatMap(asked, settled))
    }),
    scale: Effect.fn("Fleet.scale")(function* (slots, given = {}) {
      if (slots !== null && (!Number.isSafeInteger(slots) || slots < 1))
        return yield* new ConfigInvalid({ path: "slots", detail: `${slots} is no number of slots` })
      return yield* orEnd(Effect.flatMap(ask("scale", given, Intent.scaleValue(slots)), ofScale))
    }),
    replay: Effect.fn("Fleet.replay")(function* (jobId, given = {}) {
      const wish = { actor: given.actor ?? self, reason: given.reason ?? null }
      const replayed = yield* orEnd(heard(inStore(patiently(Replays.replay(jobId, wish, given)))))
      // The loop learns of it as of any other new job.
      turn.state.mayHaveReady = true
      mailbox.ring()
      return replayed
    })
  }
  return service
})
