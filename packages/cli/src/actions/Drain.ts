/**
 * `muster drain`: hosts take no new job until nothing runs, and then work on (R22).
 */
import { type IntentRow, Store } from "@muster/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { answer, talk } from "../output/Answer.ts"
import { awaitChange } from "../store/Changes.ts"
import * as StoreFile from "../store/StoreFile.ts"
import { addressed, documentOf, lookAt, wish, type WishInput } from "./HostWish.ts"

interface Input extends WishInput {
  readonly host: Option.Option<number>
  readonly wait: boolean
}

/** Waits until the store says that it is over. A host that was killed holds it up no longer than its lease. */
const settled = Effect.fnUntraced(function* (asked: IntentRow) {
  const store = yield* Store
  let row = asked
  while (row.outcome === null) {
    const token = yield* store.changed
    row = yield* lookAt(asked)
    if (row.outcome === null) yield* Effect.timeoutOption(awaitChange(token), "1 second")
  }
  return row
})

const drainNow = Effect.fnUntraced(function* (input: Input) {
  const address = { host: Option.getOrNull(input.host), value: null }
  if (input.wait) yield* talk(`${addressed(address.host)}: no new job starts. Waiting until nothing runs …`)
  const wished = yield* wish("drain", input, address, input.wait ? settled : undefined)
  const document = documentOf("drain", wished)
  const { host, outcome } = document
  yield* answer(document, ({ style }) => [
    outcome === null
      ? `${addressed(host)}: ${style.waiting("draining")}`
      : outcome === "drained"
        ? `${addressed(host)}: ${style.good("drained")}`
        : `${addressed(host)}: gone`
  ])
  if (outcome === null)
    yield* talk("No new job starts there until nothing runs; then they work on. --wait waits for that.")
})

export const drain = (input: Input) => Effect.provide(drainNow(input), StoreFile.layer("existing"))
