/**
 * An agent's unread messages, as data: bounded in number and bytes, larger priority first, and each message once. The decision on an
 * offer is pure; `put` and `take` fill and empty a mailbox in place, which belongs to one host.
 */
import { defaults, limits } from "../Defaults.ts"
import type { Envelope } from "./Envelope.ts"

/** A message in a mailbox. */
export interface Held {
  readonly envelope: Envelope
  /** What it takes, in bytes. */
  readonly bytes: number
}

export interface MailboxState {
  /** In the order in which they are read. */
  readonly unread: Array<Held>
  /** Of the unread. */
  bytes: number
  /** What tells messages apart, of those that came last, read or not; in the order in which they came. */
  readonly known: Set<string>
}

export const emptyMailbox = (): MailboxState => ({ unread: [], bytes: 0, known: new Set() })

/** How much a mailbox takes. */
export interface MailboxLimits {
  readonly messages: number
  readonly bytes: number
}

export const mailboxLimits: MailboxLimits = {
  messages: defaults.mailboxMessages,
  bytes: limits.mailboxBytes
}

/** What makes a message the same as an earlier one: its producer, with its id or what they say of it. */
const marks = ({ idempotencyKey, messageId, producerAgent }: Envelope): ReadonlyArray<string> => {
  const id = `${producerAgent} id ${messageId}`
  return idempotencyKey === undefined ? [id] : [id, `${producerAgent} key ${idempotencyKey}`]
}

/**
 * What becomes of an offer. A duplicate is known before it can be too much: it takes no room. An empty mailbox takes any message that
 * passed its own limit.
 */
export const decideOffer = (
  { bytes, known, unread }: Readonly<MailboxState>,
  { bytes: more, envelope }: Held,
  { bytes: most, messages }: MailboxLimits = mailboxLimits
): "accepted" | "full" | "duplicate" => {
  if (marks(envelope).some((mark) => known.has(mark))) return "duplicate"
  if (unread.length >= messages || (unread.length > 0 && bytes + more > most)) return "full"
  return "accepted"
}

const priorityOf = ({ envelope }: Held): number => envelope.priority ?? 0

/** Puts an accepted message in its place: behind those of its priority. */
export const put = (mailbox: MailboxState, held: Held, { messages }: MailboxLimits = mailboxLimits): void => {
  let place = mailbox.unread.length
  for (; place > 0; place--) {
    const before = mailbox.unread[place - 1]
    if (before === undefined || priorityOf(before) >= priorityOf(held)) break
  }
  mailbox.unread.splice(place, 0, held)
  mailbox.bytes += held.bytes
  for (const mark of marks(held.envelope)) mailbox.known.add(mark)
  for (const mark of mailbox.known) {
    if (mailbox.known.size <= 4 * messages) break
    mailbox.known.delete(mark)
  }
}

/** The next message, which is unread no more; undefined where there is none. */
export const take = (mailbox: MailboxState): Envelope | undefined => {
  const held = mailbox.unread.shift()
  if (held === undefined) return undefined
  mailbox.bytes -= held.bytes
  return held.envelope
}
