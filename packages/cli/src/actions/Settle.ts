/**
 * `muster settle`: what became of a step of which nobody knew whether it was done (R24, R28). Written here where nobody owns the job, by its
 * host otherwise.
 */
import { exit, type IntentRow, readSettlement, type Settlement, Store } from "@muster/core"
import { Operations, Settlements } from "@muster/fleet"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { Ended } from "../Ended.ts"
import type { SettleJson } from "../json/SettleJson.ts"
import { operator } from "../Operator.ts"
import { answer, talk } from "../output/Answer.ts"
import { paintState } from "../output/Style.ts"
import { awaitChange } from "../store/Changes.ts"
import { isBeating, openHosts } from "../store/Hosts.ts"
import * as StoreFile from "../store/StoreFile.ts"
import { UsageError } from "../UsageError.ts"
import { reasonOf } from "./HostWish.ts"

interface Input {
  readonly job: string
  readonly marker: Option.Option<string>
  readonly done: boolean
  readonly result: Option.Option<string>
  readonly notDone: boolean
  readonly fail: boolean
  readonly wait: number
  readonly reason: Option.Option<string>
  readonly requestId: Option.Option<string>
}

const usage = (message: string) =>
  new UsageError({ message, hint: "muster settle 17 --done, --not-done, or --fail --reason TEXT" })

/** The one answer that the flags give. */
const outcomeOf = Effect.fnUntraced(function* (input: Input) {
  const given: ReadonlyArray<Settlement["outcome"]> = [
    ...(input.done ? (["done"] as const) : []),
    ...(input.notDone ? (["not_done"] as const) : []),
    ...(input.fail ? (["fail"] as const) : [])
  ]
  const [outcome] = given
  if (outcome === undefined || given.length > 1)
    return yield* usage("Say one of --done, --not-done and --fail.")
  if (outcome !== "done" && Option.isSome(input.result)) return yield* usage("Only --done has a --result.")
  if (outcome === "fail" && reasonOf(input.reason) === null)
    return yield* usage("--fail needs a --reason: it stands in the dead letter.")
  return outcome
})

const resultOf = Effect.fnUntraced(function* ({ result }: Input) {
  if (Option.isNone(result)) return null
  const parsed = Result.try((): unknown => JSON.parse(result.value))
  return Result.isSuccess(parsed)
    ? parsed.success
    : yield* usage(`--result is no JSON: ${result.value}. A text needs its quotes: --result '"text"'.`)
})

/** The row as it stands once the store has an answer, or once nobody is there to give one. */
const settled = Effect.fnUntraced(function* (asked: IntentRow) {
  const store = yield* Store
  for (;;) {
    const token = yield* store.changed
    yield* Settlements.carryOut(asked)
    const row = (yield* Operations.intentRow(store, asked.intent)) ?? asked
    const now = yield* Clock.currentTimeMillis
    if (row.outcome !== null || !(yield* openHosts).some((host) => isBeating(host, now))) return row
    yield* awaitChange(token)
  }
})

const settleNow = Effect.fnUntraced(function* (input: Input, wish: Settlements.SettleWish) {
  const store = yield* Store
  const { job } = yield* store.job(input.job)
  const asked = yield* Settlements.ask(job, wish)
  const waited = yield* Effect.timeoutOption(settled(asked), input.wait * 1_000)
  const row = Option.getOrElse(waited, () => asked)
  const answered = yield* Settlements.answerOf(row)
  const settlement = answered ?? readSettlement(row.value)
  const { job: now } = yield* store.job(input.job)
  const document: SettleJson = {
    job_id: job.jobId,
    current_state: now.state,
    marker: settlement?.marker ?? "",
    answer: settlement?.outcome ?? wish.outcome,
    outcome: answered === null ? "requested" : "settled",
    intent: row.intent
  }
  yield* answer(document, ({ style }) => [
    `${document.job_id}  ${paintState(style, now.state)}  ${document.marker}: ${document.answer.replace("_", " ")}${answered === null ? " requested" : ""}`
  ])
  if (answered !== null) return
  yield* talk(`No host has answered yet. The answer is recorded and stays in force: muster show ${job.seq}`)
  return yield* new Ended({ exitCode: exit.retryLater })
})

export const settle = Effect.fnUntraced(function* (input: Input) {
  const outcome = yield* outcomeOf(input)
  const wish: Settlements.SettleWish = {
    marker: Option.getOrNull(input.marker),
    outcome,
    ...(outcome === "done" ? { result: yield* resultOf(input) } : {}),
    actor: yield* operator,
    reason: reasonOf(input.reason),
    requestId: Option.getOrNull(input.requestId)
  }
  yield* Effect.provide(settleNow(input, wish), StoreFile.layer("existing"))
})
