/**
 * `muster dlq allow`, `forbid` and `discard`: what an operator says about a letter, kept with who and why (R31).
 */
import type { Replay } from "@muster/core"
import { Replays } from "@muster/fleet"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { VerdictJson } from "../json/ReplayJson.ts"
import { operator } from "../Operator.ts"
import { answer } from "../output/Answer.ts"
import * as StoreFile from "../store/StoreFile.ts"
import { UsageError } from "../UsageError.ts"
import { reasonOf } from "./HostWish.ts"

interface Input {
  readonly job: string
  readonly reason: Option.Option<string>
}

const outcomes = { allow: "allowed", forbid: "forbidden", discard: "discarded" } as const

const meanings = {
  allow: "it may be replayed",
  forbid: "it is not replayed until somebody allows it",
  discard: "it is not replayed any more, and retention may forget it"
} as const

const rule = Effect.fnUntraced(function* (input: Input, verdict: Replay.LetterVerdict) {
  const wish = { actor: yield* operator, reason: reasonOf(input.reason) }
  const { changed, job } = yield* Replays.rule(input.job, verdict, wish)
  const document: VerdictJson = { job_id: job.jobId, outcome: outcomes[verdict], changed }
  yield* answer(document, () => [
    `${job.jobId}  ${changed ? "" : "was "}${outcomes[verdict]}${changed ? "" : " before"}: ${meanings[verdict]}`
  ])
})

/** Allowing and forbidding overrule what the code's row says: nobody does that without a reason. */
const withReason = (verdict: "allow" | "forbid") =>
  Effect.fnUntraced(function* (input: Input) {
    if (reasonOf(input.reason) === null) {
      return yield* new UsageError({
        message: "It needs a reason, which is kept in the audit.",
        hint: `muster dlq ${verdict} ${input.job} --reason "…"`
      })
    }
    return yield* Effect.provide(rule(input, verdict), StoreFile.layer("existing"))
  })

export const dlqAllow = withReason("allow")
export const dlqForbid = withReason("forbid")
export const dlqDiscard = (input: Input) =>
  Effect.provide(rule(input, "discard"), StoreFile.layer("existing"))
