/**
 * The undeliverable messages that wait for a commit. Bounded: of a flood the newest are kept, and all are counted. They are written
 * along with a turn, as the bank is, and no more often than a message's loss is worth.
 */
import { type DeadMessage, limits } from "@muster/core"

/** What is written at once. */
export interface Burial {
  /** How many have become undeliverable, those that are not among the messages included. */
  readonly count: number
  readonly messages: ReadonlyArray<DeadMessage>
}

/** In one commit, and between two of them in milliseconds. */
const pace = { messages: 50, millis: 250 }

export class DeadMessages {
  private waiting: Array<DeadMessage> = []
  /** Of those that wait and those that were pushed out by newer ones. */
  private count = 0
  private writtenAt = Number.NEGATIVE_INFINITY
  private readonly ring: () => void

  /** `ring`: makes the loop look. */
  constructor(ring: () => void) {
    this.ring = ring
  }

  add(dead: DeadMessage): void {
    this.waiting.push(dead)
    this.count++
    if (this.waiting.length > limits.deadMessages) this.waiting.shift()
    if (this.count === 1) this.ring()
  }

  /** When something is to be written, by the monotonic clock; null: there is nothing. */
  dueAt(): number | null {
    return this.count === 0 ? null : this.writtenAt + pace.millis
  }

  /** What is to be written now; null: nothing. A commit that fails asks again, and gets the same or more. */
  take(now: number): Burial | null {
    const dueAt = this.dueAt()
    if (dueAt === null || now < dueAt) return null
    const messages = this.waiting.slice(0, pace.messages)
    // What was pushed out counts with the first that stand for it.
    const more = this.waiting.length - messages.length
    return { count: this.count - more, messages }
  }

  /** That is written. */
  written(burial: Burial, now: number): void {
    const gone = new Set(burial.messages)
    this.waiting = this.waiting.filter((dead) => !gone.has(dead))
    this.count -= burial.count
    this.writtenAt = now
  }

  /** All that is left, for the host's last word. */
  rest(): Burial | null {
    return this.count === 0 ? null : { count: this.count, messages: this.waiting }
  }
}
