/**
 * What `muster pause`, `resume`, `drain` and `scale` have in common: the wish is recorded, what has come to its end is settled, and the
 * answer is what the store says.
 */
import { BoundedText, type HostRow, type Intent, type IntentRow, limits, Store } from "@muster/core"
import { Operations } from "@muster/fleet"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { wishJson } from "../json/WishJson.ts"
import { operator } from "../Operator.ts"
import { isBeating } from "../store/Hosts.ts"

export interface WishInput {
  readonly reason: Option.Option<string>
  readonly requestId: Option.Option<string>
}

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

/** Records the wish. */
export const ask = Effect.fnUntraced(function* (
  kind: Intent.HostIntent,
  input: WishInput,
  address: { readonly host: number | null; readonly value: string | null } = { host: null, value: null }
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

/** The wish and how the fleet stands, as the store says now. */
export const documentOf = Effect.fnUntraced(function* (kind: Intent.HostIntent, row: IntentRow) {
  const store = yield* Store
  return wishJson(kind, row, yield* Operations.openIntents(store))
})

/** `all hosts` or `host 3`. */
export const addressed = (host: number | null): string => (host === null ? "all hosts" : `host ${host}`)
