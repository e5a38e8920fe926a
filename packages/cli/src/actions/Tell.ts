/**
 * `muster tell`: a message to a living agent, through the host that it lives on. The store keeps no messages: without a host nobody can be told.
 */
import { agentAddress, isOver, jobOfAddress, MailboxFull, MessageUndeliverable, Store } from "@muster/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { anyHost, isGone } from "../hosts/LiveHosts.ts"
import type { TellJson } from "../json/TellJson.ts"
import { operator } from "../Operator.ts"
import { answer } from "../output/Answer.ts"
import * as StoreFile from "../store/StoreFile.ts"
import { UsageError } from "../UsageError.ts"

interface Input {
  readonly agent: string
  readonly text: ReadonlyArray<string>
  readonly type: string
  readonly data: Option.Option<string>
  readonly priority: Option.Option<number>
  readonly requestId: Option.Option<string>
}

const usage = (message: string) => new UsageError({ message, hint: "muster tell 17 leave the tests alone" })

/** A text, or JSON data. */
const payloadOf = Effect.fnUntraced(function* ({ data, text }: Input) {
  if (Option.isNone(data)) {
    return text.length === 0 ? yield* usage("What is it to be told?") : text.join(" ")
  }
  if (text.length > 0) return yield* usage("Say a text or --data, not both.")
  const parsed = Result.try((): unknown => JSON.parse(data.value))
  return Result.isSuccess(parsed)
    ? parsed.success
    : yield* usage(`--data is no JSON: ${data.value}. A text needs its quotes: --data '"text"'.`)
})

const tellNow = Effect.fnUntraced(function* (input: Input) {
  const payload = yield* payloadOf(input)
  const store = yield* Store
  const { job } = yield* store.job(jobOfAddress(input.agent) ?? input.agent)
  const consumer = agentAddress(job.jobId)
  const reason = isOver(job.state) ? "ended" : "no_host"
  const nobody = new MessageUndeliverable({ messageId: "", consumer, reason })
  const host = yield* anyHost(job.agent?.owner?.host ?? null)
  if (host === null) return yield* nobody
  const delivery = yield* host.client
    .Tell({
      agent: consumer,
      from: yield* operator,
      messageType: input.type,
      payload,
      ...(Option.isNone(input.priority) ? {} : { priority: input.priority.value }),
      ...(Option.isNone(input.requestId) ? {} : { idempotencyKey: input.requestId.value })
    })
    .pipe(Effect.catchIf(isGone, () => nobody))
  const { messageId } = delivery
  if (delivery._tag === "Full") return yield* new MailboxFull({ messageId, consumer })
  if (delivery._tag === "Dead")
    return yield* new MessageUndeliverable({ messageId, consumer, reason: delivery.reason })
  const document: TellJson = {
    message_id: messageId,
    consumer_agent: consumer,
    message_type: input.type,
    answer: "accepted",
    duplicate: delivery.duplicate
  }
  return yield* answer(document, () => [
    `${consumer}  ${delivery.duplicate ? "was told before" : "is told"} (${messageId})`
  ])
}, Effect.scoped)

export const tell = (input: Input) => Effect.provide(tellNow(input), StoreFile.layer("existing"))
