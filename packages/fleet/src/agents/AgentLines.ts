/**
 * The last lines of one incarnation, in memory, and a live tail of them. A line costs one entry of a ring while nobody listens; who listens too
 * slowly loses the oldest, and sees it by the numbers.
 */
import type { AgentEvent } from "@muster/core"
import { type Cause, Effect, Queue, Stream } from "effect"
import type { LoggedLine } from "../adapters/logs/AgentLogs.ts"

/** What an agent has said. */
export interface AgentLine {
  /** Of this incarnation's lines, from 1. A jump: those between were dropped, since the listener was slower than the agent. */
  readonly number: number
  /** Epoch ms. */
  readonly at: number
  readonly incarnation: number
  /** `progress`: the message of a progress report. */
  readonly source: "stdout" | "stderr" | "log" | "progress"
  /** Bounded: the rest of a longer line is left out. */
  readonly text: string
}

/** The bounds of what is kept of one incarnation, and of what waits for one listener. */
export const lineBounds = { lines: 200, length: 1_024, waiting: 1_000 } as const

/** Cut to the bound, marked, and copied: a piece of a text would keep the whole of it in memory. */
const bounded = (text: string): string =>
  text.length <= lineBounds.length ? text : `${Array.from(text.slice(0, lineBounds.length - 1)).join("")}…`

export class AgentLines {
  readonly #incarnation: number
  readonly #ring: Array<AgentLine> = []
  readonly #listeners = new Set<Queue.Queue<AgentLine, Cause.Done>>()
  #count = 0
  #over = false

  constructor(incarnation: number) {
    this.#incarnation = incarnation
  }

  /** Takes what is a line of the agent, and answers it whole; null for what is none. `at`: epoch ms. */
  take(event: AgentEvent, at: number): LoggedLine | null {
    if (event._tag !== "Line" && event._tag !== "Progress") return null
    const line: AgentLine = {
      number: ++this.#count,
      at,
      incarnation: this.#incarnation,
      source: event._tag === "Line" ? event.source : "progress",
      text: bounded(event._tag === "Line" ? event.text : event.message)
    }
    // Written in a circle: shifting would move them all, for each line.
    this.#ring[(this.#count - 1) % lineBounds.lines] = line
    for (const listener of this.#listeners) Queue.offerUnsafe(listener, line)
    return event._tag === "Line"
      ? { ...line, text: event.text, cut: event.cut }
      : { ...line, text: event.message, cut: false }
  }

  /** The incarnation is over: nobody has to listen any longer. */
  end(): void {
    this.#over = true
    for (const listener of this.#listeners) Queue.endUnsafe(listener)
  }

  /** The lines that are kept, the oldest first. */
  last(): ReadonlyArray<AgentLine> {
    const start = this.#count % lineBounds.lines
    return this.#count <= lineBounds.lines
      ? [...this.#ring]
      : [...this.#ring.slice(start), ...this.#ring.slice(0, start)]
  }

  /** The lines that are kept, then those to come, until the incarnation is over. Made for whoever listens: most lives have nobody who does. */
  get stream(): Stream.Stream<AgentLine> {
    return Stream.unwrap(
      Effect.gen({ self: this }, function* () {
        const queue = yield* Queue.sliding<AgentLine, Cause.Done>(lineBounds.waiting)
        // In one step, so that no line comes twice or never.
        const kept = yield* Effect.acquireRelease(
          Effect.sync(() => {
            if (!this.#over) this.#listeners.add(queue)
            return this.last()
          }),
          () => Effect.sync(() => this.#listeners.delete(queue))
        )
        const before = Stream.fromIterable(kept)
        return this.#over ? before : Stream.concat(before, Stream.fromQueue(queue))
      })
    )
  }
}
