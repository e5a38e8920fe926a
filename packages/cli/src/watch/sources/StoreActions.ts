/**
 * What the board's keys ask for, by the store alone: durable wishes, as `muster cancel`, `pause`, `resume`, `scale` and `dlq replay` record
 * them.
 */
import { ConfigInvalid, Intent, Store } from "@muster/core"
import { Replays } from "@muster/fleet"
import { type Cause, Effect, Option } from "effect"
import { ask as askCancel, cancelHere, isUnowned } from "../../actions/Cancel.ts"
import { ask, type WishInput } from "../../actions/HostWish.ts"
import { ConfigFlag } from "../../GlobalFlags.ts"
import { operator } from "../../Operator.ts"
import { failureReport } from "../../output/FailureReport.ts"
import type { BoardActions } from "../BoardSource.ts"
import { shortId } from "../FleetLook.ts"

const plain: WishInput = { reason: Option.none(), requestId: Option.none() }

/** A refusal is an answer. */
export const told = <E, R>(effect: Effect.Effect<string, E, R>): Effect.Effect<string, never, R> =>
  Effect.catchCause(effect, (cause: Cause.Cause<E>) =>
    Effect.map(failureReport(cause), ({ hint, message }) => (hint === "" ? message : `${message} ${hint}`))
  )

/** A job that nobody owns is cancelled here, any other by its host, which finds the wish in the store. */
const cancel = Effect.fnUntraced(function* (id: string) {
  const store = yield* Store
  const wish = { actor: yield* operator, text: null, requestId: null }
  const { job } = yield* store.job(id)
  if (isUnowned(job) && (yield* cancelHere(job, wish))) return `job ${shortId(id)} is cancelled`
  yield* askCancel(job, wish)
  return `its host is asked to cancel job ${shortId(id)}`
})

const scale = Effect.fnUntraced(function* (host: number | null, slots: number) {
  if (!Number.isInteger(slots) || slots < 1)
    return yield* new ConfigInvalid({ path: "slots", detail: `${slots} is no number of slots` })
  yield* ask("scale", plain, { host, value: Intent.scaleValue(slots) })
  return `${host === null ? "each host" : `host ${host}`} gets ${slots} ${slots === 1 ? "slot" : "slots"}`
})

const replay = Effect.fnUntraced(function* (id: string) {
  const { duplicate, jobId } = yield* Replays.replay(
    id,
    { actor: yield* operator, reason: null },
    { fresh: false }
  )
  return duplicate
    ? `job ${shortId(id)} was replayed before, as job ${shortId(jobId)}`
    : `job ${shortId(id)} is replayed as job ${shortId(jobId)}`
})

/** Of the store at hand. */
export const storeActions = Effect.gen(function* () {
  const context = yield* Effect.context<Store | Effect.Services<typeof ConfigFlag>>()
  const over = <E>(effect: Effect.Effect<string, E, Store | Effect.Services<typeof ConfigFlag>>) =>
    told(Effect.provide(effect, context))
  const actions: BoardActions = {
    cancel: (id) => over(cancel(id)),
    pause: over(Effect.as(ask("pause", plain), "paused: no host takes a job; what runs goes on")),
    resume: over(Effect.as(ask("resume", plain), "resumed")),
    scale: (host, slots) => over(scale(host, slots)),
    replay: (id) => over(replay(id))
  }
  return actions
})
