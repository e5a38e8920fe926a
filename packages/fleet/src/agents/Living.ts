/**
 * The incarnations that live on this host, by the number of their job, and what they say: their vitals, their lines, what they spend.
 */
import type { AgentEvent } from "@muster/core"
import type { OpenLogs } from "../adapters/logs/AgentLogs.ts"
import type { AgentLines } from "./AgentLines.ts"
import type { Incarnation } from "./Incarnation.ts"
import { Spending, type Spent } from "./Spending.ts"

export class Living {
  readonly #lives = new Map<number, Incarnation>()
  readonly #spending = new Spending()
  readonly #logs: OpenLogs

  constructor(logs: OpenLogs) {
    this.#logs = logs
  }

  get(seq: number): Incarnation | undefined {
    return this.#lives.get(seq)
  }

  values(): Iterable<Incarnation> {
    return this.#lives.values()
  }

  /** Takes the place of the one before it. */
  add(life: Incarnation): void {
    this.leave(life.seq)
    this.#lives.set(life.seq, life)
  }

  /** It lives here no more. */
  leave(seq: number): void {
    const life = this.#lives.get(seq)
    if (life === undefined) return
    life.lines.end()
    life.trace?.end()
    this.#lives.delete(seq)
  }

  /** @param at epoch ms; `now` is monotonic */
  hear(life: Incarnation, event: AgentEvent, now: number, at: number): void {
    if (event._tag === "Usage") this.#spending.take(event, life.vitals)
    const line = life.lines.take(event, at)
    if (line !== null) this.#logs.write(life.job.jobId, line)
    life.vitals.take(event, now, life.served.policy)
  }

  /** All of them are being stopped: nobody listens any more. */
  interrupt(): void {
    for (const life of this.#lives.values()) {
      life.interrupted = true
      life.lines.end()
    }
  }

  /** The host is over: what is known of them ends. */
  clear(): void {
    for (const seq of this.#lives.keys()) this.leave(seq)
  }

  lines(seq: number): AgentLines | undefined {
    return this.#lives.get(seq)?.lines
  }

  /** What all of them have reported since this host started. */
  get spent(): Spent {
    return this.#spending.all
  }
}
