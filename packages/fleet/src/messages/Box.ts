/**
 * The mailbox of one agent on this host: its unread messages, whether it listens, and who waits for the next one. It outlives an
 * incarnation, so that the next one on this host reads what the one before has left.
 */
import { type Envelope, Mailbox } from "@muster/core"
import { Effect, Latch } from "effect"
import type { ServedWorkflow } from "../plugins/ServedWorkflow.ts"

/**
 * `listening`: an incarnation works. `held`: none does, and the next one will read. `deaf`: its work is done, or it takes no
 * messages at all.
 */
export type Hearing = "listening" | "held" | "deaf"

export class Box {
  readonly seq: number
  readonly jobId: string
  readonly served: ServedWorkflow
  readonly mailbox = Mailbox.emptyMailbox()
  hearing: Hearing = "deaf"
  /** The incarnation that reads; another one's reading waits for ever. */
  incarnation = 0
  /** No incarnation of it lives on this host: whoever takes the next one may be another host. */
  left = false
  private readonly arrival = Latch.makeUnsafe()

  constructor(seq: number, jobId: string, served: ServedWorkflow) {
    this.seq = seq
    this.jobId = jobId
    this.served = served
  }

  offer(held: Mailbox.Held): ReturnType<typeof Mailbox.decideOffer> {
    const decided = Mailbox.decideOffer(this.mailbox, held)
    if (decided === "accepted") {
      Mailbox.put(this.mailbox, held)
      this.arrival.openUnsafe()
    }
    return decided
  }

  /** The next message for this incarnation. */
  takeFor(incarnation: number): Effect.Effect<Envelope> {
    return Effect.suspend(() => {
      if (this.incarnation !== incarnation || this.hearing !== "listening") return Effect.never
      const next = Mailbox.take(this.mailbox)
      if (next !== undefined) return Effect.succeed(next)
      this.arrival.closeUnsafe()
      return Effect.flatMap(this.arrival.await, () => this.takeFor(incarnation))
    })
  }

  /** Everything unread, which is in it no more. */
  empty(): ReadonlyArray<Envelope> {
    const unread: Array<Envelope> = []
    for (let next = Mailbox.take(this.mailbox); next !== undefined; next = Mailbox.take(this.mailbox))
      unread.push(next)
    return unread
  }
}
