/**
 * What `muster pause`, `resume`, `drain` and `scale` have in common: the wish goes to a host that answers, which acts at once, or is recorded
 * here, where what has come to its end is settled as well. The answer is what the store says, either way.
 */
import { BoundedText, type HostRow, Intent, type IntentRow, limits, Store } from "@muster/core"
import { Operations } from "@muster/fleet"
import type { ControlClient, Wished } from "@muster/fleet/control"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { anyHost, type Answered, orStore } from "../hosts/LiveHosts.ts"
import { wishJson } from "../json/WishJson.ts"
import { operator } from "../Operator.ts"
import { newRunId } from "../run/RunId.ts"
import { isBeating } from "../store/Hosts.ts"

export interface WishInput {
  readonly reason: Option.Option<string>
  readonly requestId: Option.Option<string>
}

/** Whom a wish addresses, and its argument. */
interface Address {
  /** Null: all hosts. */
  readonly host: number | null
  /** Of a scale; JSON text. */
  readonly value: string | null
}

const everybody: Address = { host: null, value: null }

/** A reason as it is kept; null: nothing said. */
export const reasonOf = (reason: Option.Option<string>): string | null =>
  Option.getOrNull(
    Option.map(
      Option.filter(reason, (text) => text.trim() !== ""),
      (text) => BoundedText.truncate(text, limits.reasonBytes)
    )
  )

const beats: Effect.Effect<(host: HostRow) => boolean> = Effect.map(
  Clock.currentTimeMillis,
  (now) => (host) => isBeating(host, now)
)

/** Settles what no host has to settle, and answers the wish as it stands after that. */
export const lookAt = Effect.fnUntraced(function* (row: IntentRow) {
  const store = yield* Store
  yield* Operations.settle(yield* beats)
  return (yield* Operations.intentRow(store, row.intent)) ?? row
})

/** Records the wish here. */
export const ask = Effect.fnUntraced(function* (
  kind: Intent.HostIntent,
  input: WishInput,
  address: Address = everybody
) {
  const row = yield* Operations.ask({
    kind,
    ...address,
    reason: reasonOf(input.reason),
    actor: yield* operator,
    requestId: Option.getOrNull(input.requestId)
  })
  return yield* lookAt(row)
})

const askClient = (
  client: ControlClient.ControlClient,
  kind: Intent.HostIntent,
  wish: { readonly actor: string; readonly reason?: string; readonly requestId?: string },
  address: Address,
  wait: boolean
) => {
  const host = address.host === null ? {} : { host: address.host }
  switch (kind) {
    case "pause":
      return client.Pause(wish)
    case "resume":
      return client.Resume(wish)
    case "drain":
      return client.Drain({ ...wish, ...host, wait })
    case "scale":
      return client.Scale({ ...wish, ...host, slots: Intent.slotsIn(address.value) })
  }
}

/**
 * Makes the wish known.
 *
 * @param settled how the store waits for its end, where that is wanted
 */
export const wish = Effect.fnUntraced(function* <E = never, R = never>(
  kind: Intent.HostIntent,
  input: WishInput,
  address: Address = everybody,
  settled?: (row: IntentRow) => Effect.Effect<IntentRow, E, R>
) {
  const store = yield* Store
  const host = yield* anyHost(address.host)
  // So that a wish which reaches a dying host and then the store counts once. One that names a host is refused where there is none, which a
  // request that may be a repetition is not.
  const named = address.host === null && host !== null ? Option.some(yield* newRunId) : Option.none()
  const request: WishInput = { ...input, requestId: Option.orElse(input.requestId, () => named) }
  const reason = reasonOf(input.reason)
  const said = {
    actor: yield* operator,
    ...(reason === null ? {} : { reason }),
    ...Option.match(request.requestId, { onNone: () => ({}), onSome: (requestId) => ({ requestId }) })
  }
  const here = Effect.gen(function* () {
    const asked = yield* ask(kind, request, address)
    const row = settled === undefined ? asked : yield* settled(asked)
    const wished: Wished = { row, open: yield* Operations.openIntents(store) }
    return wished
  })
  return yield* orStore(
    host,
    (client) => askClient(client, kind, said, address, settled !== undefined),
    here,
    // A drain takes as long as the work that it waits for.
    settled === undefined ? undefined : Number.POSITIVE_INFINITY
  )
}, Effect.scoped)

/** The wish and how the fleet stands. */
export const documentOf = (kind: Intent.HostIntent, { answer, source }: Answered<Wished>) =>
  wishJson(kind, answer.row, answer.open, source)

/** `all hosts` or `host 3`. */
export const addressed = (host: number | null): string => (host === null ? "all hosts" : `host ${host}`)
