/**
 * `muster scale`: how many slots hosts have, whatever they were started with (R22).
 */
import { HostNotFound, Intent } from "@muster/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { answer, talk } from "../output/Answer.ts"
import * as StoreFile from "../store/StoreFile.ts"
import { UsageError } from "../UsageError.ts"
import { addressed, documentOf, wish, type WishInput } from "./HostWish.ts"

interface Input extends WishInput {
  readonly slots: Option.Option<number>
  readonly reset: boolean
  readonly host: Option.Option<number>
}

const wanted = Effect.fnUntraced(function* (input: Input) {
  if (Option.isSome(input.slots) !== input.reset) return Option.getOrNull(input.slots)
  return yield* new UsageError({
    message: input.reset ? "Say a number of slots or --reset, not both." : "There is no number of slots.",
    hint: "muster scale 8, or muster scale --reset"
  })
})

const scaleNow = Effect.fnUntraced(function* (input: Input, slots: number | null) {
  const host = Option.getOrNull(input.host)
  const wished = yield* wish("scale", input, { host, value: Intent.scaleValue(slots) })
  const { row } = wished.answer
  if (row.outcome === "host_gone") return yield* new HostNotFound({ host: row.host ?? 0 })
  const document = documentOf("scale", wished)
  const said = document.slots === null ? "as they were started" : `${document.slots} slots`
  yield* answer(document, () => [
    document.outcome === null || document.outcome === "reset"
      ? `${addressed(document.host)}: ${said}`
      : `${addressed(document.host)}: ${said}, until a later scale (${document.outcome})`
  ])
  return document.outcome === null
    ? yield* talk("In force from now on, for hosts that start later too; agents beyond the slots finish.")
    : undefined
})

export const scale = Effect.fnUntraced(function* (input: Input) {
  const slots = yield* wanted(input)
  yield* Effect.provide(scaleNow(input, slots), StoreFile.layer("existing"))
})
