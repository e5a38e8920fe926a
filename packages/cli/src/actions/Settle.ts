/**
 * `muster settle`: what became of a step of which nobody knew whether it was done (R24, R28). Written here where nobody owns the job, by its
 * host otherwise.
 */
import { defaults, exit, type IntentRow, type Settlement, Store } from "@muster/core"
import { Operations, Settlements } from "@muster/fleet"
import type { ControlClient } from "@muster/fleet/control"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { Ended } from "../Ended.ts"
import { anyHost, orStore } from "../hosts/LiveHosts.ts"
import type { SettleJson } from "../json/SettleJson.ts"
import { operator } from "../Operator.ts"
import { answer, talk } from "../output/Answer.ts"
import { paintState } from "../output/Style.ts"
import { newRunId } from "../run/RunId.ts"
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

type Outcome = Omit<SettleJson, "source">

/** The store's own way: the wish is recorded, and carried out here where nobody owns the job. */
const byStore = Effect.fnUntraced(function* (input: Input, wish: Settlements.SettleWish) {
  const store = yield* Store
  const { job } = yield* store.job(input.job)
  const asked = yield* Settlements.ask(job, wish)
  const waited = yield* Effect.timeoutOption(settled(asked), input.wait * 1_000)
  const row = Option.getOrElse(waited, () => asked)
  const answered = yield* Settlements.answerOf(row)
  const settlement = answered ?? Settlements.wanted(row)
  const { job: now } = yield* store.job(input.job)
  const outcome: Outcome = {
    job_id: job.jobId,
    current_state: now.state,
    marker: settlement?.marker ?? "",
    answer: settlement?.outcome ?? wish.outcome,
    outcome: answered === null ? "requested" : "settled",
    intent: row.intent
  }
  return outcome
})

const byHost = (client: ControlClient.ControlClient, input: Input, wish: Settlements.SettleWish) =>
  client
    .Settle({
      jobId: input.job,
      waitMillis: input.wait * 1_000,
      outcome: wish.outcome,
      actor: wish.actor,
      ...(wish.marker === null ? {} : { marker: wish.marker }),
      ...(wish.outcome === "done" ? { result: wish.result } : {}),
      ...(wish.reason === null ? {} : { reason: wish.reason }),
      ...(wish.requestId === null ? {} : { requestId: wish.requestId })
    })
    .pipe(
      Effect.map(({ intent, jobId, outcome, settlement, state }): Outcome => ({
        job_id: jobId,
        current_state: state,
        marker: settlement?.marker ?? "",
        answer: settlement?.outcome ?? wish.outcome,
        outcome,
        intent
      }))
    )

const settleNow = Effect.fnUntraced(function* (input: Input, given: Settlements.SettleWish) {
  const host = yield* anyHost(null)
  // So that an answer which reaches a dying host and then the store counts once. Without its step it is refused where several are open, which
  // a request that may be a repetition is not.
  const wish =
    host === null || given.requestId !== null || given.marker === null
      ? given
      : { ...given, requestId: yield* newRunId }
  const { answer: outcome, source } = yield* orStore(
    host,
    (client) => byHost(client, input, wish),
    byStore(input, wish),
    input.wait * 1_000 + defaults.busy.commandMillis
  )
  const document: SettleJson = { ...outcome, source }
  const isSettled = document.outcome === "settled"
  yield* answer(document, ({ style }) => [
    `${document.job_id}  ${paintState(style, document.current_state)}  ${document.marker}: ${document.answer.replace("_", " ")}${isSettled ? "" : " requested"}`
  ])
  if (isSettled) return
  yield* talk(
    `No host has answered yet. The answer is recorded and stays in force: muster show ${document.job_id}`
  )
  return yield* new Ended({ exitCode: exit.retryLater })
}, Effect.scoped)

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
