/**
 * Mail for tests of runners: messages that wait from the start, and a record of what was sent.
 */
import { Effect } from "effect"
import { MessageUndeliverable } from "../domain/errors/MessageErrors.ts"
import type { MessageDraft } from "../domain/messages/Chain.ts"
import type { Envelope } from "../domain/messages/Envelope.ts"
import type { Mail } from "../ports/Mail.ts"

export interface RecordedMail {
  readonly mail: Mail
  /** What was told or asked, in order. */
  readonly sent: ReadonlyArray<MessageDraft>
}

/** Of an agent to whom these were sent. Whatever it tells is accepted; whatever it asks is undeliverable. */
export const recordMail = (inbox: ReadonlyArray<Envelope> = []): RecordedMail => {
  const unread = [...inbox]
  const sent: Array<MessageDraft> = []
  const idOf = (draft: MessageDraft): string => draft.messageId ?? `m${sent.length}`
  return {
    sent,
    mail: {
      take: Effect.suspend(() => {
        const next = unread.shift()
        return next === undefined ? Effect.never : Effect.succeed(next)
      }),
      tell: (draft) =>
        Effect.sync(() => {
          sent.push(draft)
          return { _tag: "Accepted", messageId: idOf(draft), duplicate: false }
        }),
      ask: (draft) =>
        Effect.suspend(() => {
          sent.push(draft)
          const consumer = draft.to ?? ""
          return new MessageUndeliverable({ messageId: idOf(draft), consumer, reason: "no_such_agent" })
        })
    }
  }
}
