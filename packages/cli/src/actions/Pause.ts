/**
 * `muster pause`: no host of the store takes a job until somebody resumes (R22).
 */
import * as Effect from "effect/Effect"
import { answer, talk } from "../output/Answer.ts"
import * as StoreFile from "../store/StoreFile.ts"
import { documentOf, wish, type WishInput } from "./HostWish.ts"

const pauseNow = Effect.fnUntraced(function* (input: WishInput) {
  const document = documentOf("pause", yield* wish("pause", input))
  yield* answer(document, ({ style }) => [
    document.outcome === null
      ? style.waiting("paused")
      : `That pause was ended before: ${document.outcome}. The fleet is ${document.mode}.`
  ])
  if (document.outcome === null)
    yield* talk("What runs goes on and lands; nothing new starts. Go on with: muster resume")
})

export const pause = (input: WishInput) => Effect.provide(pauseNow(input), StoreFile.layer("existing"))
