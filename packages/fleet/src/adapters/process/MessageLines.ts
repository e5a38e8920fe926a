/**
 * The messages of an agent that is a program (R32): its `message` lines are sent in the order in which it writes them; with `--stdin lines` what
 * became of each goes back on its standard input, and so do the messages that are for it.
 */
import {
  BoundedText,
  type Delivery,
  type Emit,
  encodeEnvelope,
  limits,
  type Mail,
  type MessageDraft,
  type MessageRefused,
  PayloadTooLarge
} from "@muster/core"
import { type Cause, Effect, Fiber, Queue } from "effect"

export interface MessageLinesOptions {
  readonly mail: Mail
  readonly emit: Emit
  /** Its standard input, where that stays open; null where it takes nothing. */
  readonly input: {
    readonly write: (line: string) => void
    /** Returns when it takes more: a program that doesn't read makes nobody wait but its own messages. */
    readonly ready: Effect.Effect<void>
  } | null
}

/** Stands for a message whose line was too long to be kept. */
export const tooLarge = Symbol("too large")

/** Lines that wait to be sent; of a flood the rest is left out, and told. */
const most = 1_000

const lineLimit = { workflowType: "message", limitBytes: limits.messageBytes }

/** What became of a message, as the program reads it. */
const answerOf = (delivery: Delivery): object => {
  const { messageId: message_id } = delivery
  switch (delivery._tag) {
    case "Accepted":
      return { message_id, answer: "accepted" }
    case "Full":
      return { message_id, answer: "full", code: "ORCH_MAILBOX_FULL" }
    case "Dead":
      return { message_id, answer: "dead", reason: delivery.reason }
  }
}

/** Takes message lines from a callback, and brings messages. In a scope: what was taken when it closes is still sent. */
export const make = Effect.fnUntraced(function* ({ emit, input, mail }: MessageLinesOptions) {
  const lines = yield* Queue.dropping<MessageDraft, Cause.Done>(most)
  const log = (text: string) =>
    emit({ _tag: "Line", source: "log", text: BoundedText.truncate(text, limits.reasonBytes), cut: false })

  const answer = (said: object, isTrouble: boolean): void => {
    const text = JSON.stringify({ type: "delivery", ...said })
    if (input !== null) input.write(`${text}\n`)
    if (isTrouble) log(`message ${text}`)
  }

  const refuse = (id: string | null, { _tag: code, message }: MessageRefused): void =>
    answer({ message_id: id, answer: "refused", code, message }, true)

  const send = (draft: MessageDraft): Effect.Effect<void> =>
    Effect.match(mail.tell(draft), {
      onSuccess: (delivery) => answer(answerOf(delivery), delivery._tag !== "Accepted"),
      onFailure: (refused) => refuse(draft.messageId ?? null, refused)
    })

  const consume = Effect.gen(function* () {
    for (;;) for (const draft of yield* Queue.takeAll(lines)) yield* send(draft)
  })
  const drain = (consumer: Fiber.Fiber<void>) => Effect.andThen(Queue.end(lines), Fiber.await(consumer))
  const consumer = yield* Effect.acquireRelease(
    Effect.forkDetach(Effect.ignore(consume), { startImmediately: true }),
    drain
  )

  if (input !== null) {
    const bring = Effect.gen(function* () {
      for (;;) {
        // Only what can be written is taken: the rest stays unread, and is counted so.
        yield* input.ready
        const envelope = yield* mail.take
        log(`read "${envelope.messageType}" of ${envelope.producerAgent}`)
        input.write(`${JSON.stringify({ type: "message", ...encodeEnvelope(envelope) })}\n`)
      }
    })
    yield* Effect.forkScoped(bring, { startImmediately: true })
  }

  return {
    take: (draft: MessageDraft | typeof tooLarge): void => {
      if (draft === tooLarge) return refuse(null, new PayloadTooLarge(lineLimit))
      log(`sends "${draft.messageType}"`)
      if (!Queue.offerUnsafe(lines, draft)) log(`message left out: more than ${most} wait to be sent`)
    },
    /** Returns when everything that was taken has been sent. */
    drained: Effect.asVoid(drain(consumer))
  }
})
