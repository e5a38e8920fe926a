/**
 * Messages for agents that run in this process, over the mail that every runner gets: payloads decoded by their schemas, signs of life, and a
 * link from the agent's span to the sender's.
 */
import {
  type AgentContext,
  type AskOptions,
  type DeclaredMessages,
  type Emit,
  type Envelope,
  type Mail,
  mismatch,
  PayloadTypeMismatch,
  readMessage,
  replyTo,
  type Said
} from "@muster/core"
import { Duration, Effect, Option, Result, Schema, Stream } from "effect"
import * as Headers from "effect/http/Headers"
import * as HttpTraceContext from "effect/http/HttpTraceContext"

export interface TalkingOptions {
  readonly emit: Emit
  readonly mail: Mail
  readonly declared: DeclaredMessages
}

/** Links the span of whoever reads to that of whoever wrote; where nobody keeps spans there is none. */
const linked = ({ messageId, traceContext }: Envelope): Effect.Effect<void> => {
  if (traceContext === null) return Effect.void
  const sender = HttpTraceContext.w3c(Headers.fromRecordUnsafe({ traceparent: traceContext }))
  if (Option.isNone(sender)) return Effect.void
  return Effect.ignore(
    Effect.map(Effect.currentSpan, (span) =>
      span.addLinks([{ span: sender.value, attributes: { "muster.message_id": messageId } }])
    )
  )
}

/** The answer with its payload by the schema that the asker named. */
const answered = <A>(reply: Envelope, { reply: codec }: AskOptions<A>) => {
  // Without a schema the answer is JSON data, by the asker's word.
  if (codec === undefined) return Effect.succeed(reply as Envelope<A>)
  const read = Result.mapBoth(Schema.decodeUnknownResult(Schema.toCodecJson(codec))(reply.payload), {
    onSuccess: (payload): Envelope<A> => Object.assign({}, reply, { payload }),
    onFailure: (error) => {
      const { detail, path } = mismatch(error)
      return new PayloadTypeMismatch({
        workflowType: reply.messageType,
        subject: "message",
        path: `["payload"]${path}`,
        detail
      })
    }
  })
  return Effect.fromResult(read)
}

export const make = ({
  declared,
  emit,
  mail
}: TalkingOptions): Pick<AgentContext, "inbox" | "tell" | "ask" | "reply"> => {
  const log = (text: string) => emit({ _tag: "Line", source: "log", text, cut: false })
  // Made for whoever reads: most agents don't.
  const takes = () =>
    Effect.tap(mail.take, (envelope) => {
      log(`read "${envelope.messageType}" of ${envelope.producerAgent}`)
      return linked(envelope)
    }).pipe(
      // It was held against the same schema when it was taken in.
      Effect.flatMap((envelope) =>
        Result.match(readMessage(declared, envelope), { onSuccess: Effect.succeed, onFailure: Effect.die })
      )
    )
  const tell = (to: string, message: Said) =>
    Effect.tap(mail.tell({ ...message, to }), ({ _tag }) =>
      Effect.sync(() => log(`told ${to} "${message.messageType}": ${_tag.toLowerCase()}`))
    )
  return {
    inbox: {
      get take() {
        return takes()
      },
      get messages() {
        return Stream.fromEffectRepeat(takes())
      }
    },
    tell,
    ask: <A>(to: string, message: Said, options: AskOptions<A>) =>
      Effect.suspend(() => {
        const limitMillis = Duration.toMillis(Duration.fromInputUnsafe(options.deadline))
        // Who waits for an answer isn't silent, up to the hard cap.
        emit({ _tag: "Extend", millis: limitMillis })
        return Effect.flatMap(mail.ask({ ...message, to }, limitMillis), (reply) =>
          Effect.andThen(linked(reply), answered(reply, options))
        )
      }),
    reply: (asked, message) => {
      const draft = replyTo(asked, message)
      return tell(asked.producerAgent, draft)
    }
  }
}
