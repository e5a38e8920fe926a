/**
 * `muster resume`: ends all pauses that came before it (R22).
 */
import * as Effect from "effect/Effect"
import { answer, talk } from "../output/Answer.ts"
import * as StoreFile from "../store/StoreFile.ts"
import { documentOf, wish, type WishInput } from "./HostWish.ts"

const resumeNow = Effect.fnUntraced(function* (input: WishInput) {
  const document = documentOf("resume", yield* wish("resume", input))
  const said = document.outcome === "not_paused" ? "It was not paused." : "The pauses are ended."
  yield* answer(document, ({ style }) => [
    `${said} The fleet is ${document.mode === "running" ? style.good("running") : style.waiting(document.mode)}.`
  ])
  if (document.mode === "paused") yield* talk("Somebody has paused it again: muster status")
})

export const resume = (input: WishInput) => Effect.provide(resumeNow(input), StoreFile.layer("existing"))
