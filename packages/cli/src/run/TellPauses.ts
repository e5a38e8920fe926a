/**
 * A run whose store is paused starts nothing: whoever waits for it is told so, and by whom.
 */
import { Intent, Store } from "@muster/core"
import { Operations } from "@muster/fleet"
import { Effect, Schedule } from "effect"
import { talk } from "../output/Answer.ts"

export const tellPauses = Effect.gen(function* () {
  const store = yield* Store
  const open = yield* Effect.retry(Operations.openIntents(store), {
    while: ({ _tag }) => _tag === "ORCH_STORE_BUSY",
    schedule: Schedule.spaced("20 millis")
  })
  const [pause] = Intent.pausesOf(open)
  if (pause === undefined) return
  const reason = Operations.saidReason(pause)
  const why = reason === null ? "" : ` (${reason})`
  yield* talk(`The fleet is paused by ${pause.actor}${why}: nothing starts until muster resume.`)
})
