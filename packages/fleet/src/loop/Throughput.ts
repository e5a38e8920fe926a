/**
 * How many jobs this host has landed and how many attempts have failed on it within the last minute: counted from the moves that it has
 * committed, a second at a time.
 */
import type { EventDraft } from "@muster/core"

/** The window of the counts, in milliseconds. */
const windowMillis = 60_000
const slotMillis = 1_000
const slots = windowMillis / slotMillis

export interface Landed {
  /** Less than a minute while the host is younger. */
  readonly windowMillis: number
  readonly landed: number
  /** Attempts that failed with a code, whether or not the job is tried again. */
  readonly failed: number
}

export class Throughput {
  readonly #startedAt: number
  readonly #counts = Array.from({ length: slots }, () => ({ second: -1, landed: 0, failed: 0 }))

  /** `now` here and below: monotonic milliseconds. */
  constructor(now: number) {
    this.#startedAt = now
  }

  /** Takes the events of a committed change. */
  take(events: ReadonlyArray<EventDraft>, now: number): void {
    for (const { errorCode, event, subjectKind } of events) {
      if (subjectKind !== "job") continue
      if (event === "complete") this.#slot(now).landed++
      else if (errorCode !== null && (event === "fail" || event === "schedule_retry"))
        this.#slot(now).failed++
    }
  }

  #slot(now: number) {
    const second = Math.floor(now / slotMillis)
    const index = second % slots
    const found = this.#counts[index]
    if (found?.second === second) return found
    const fresh = { second, landed: 0, failed: 0 }
    this.#counts[index] = fresh
    return fresh
  }

  read(now: number): Landed {
    const since = Math.floor(now / slotMillis) - slots
    let landed = 0
    let failed = 0
    for (const count of this.#counts) {
      if (count.second <= since) continue
      landed += count.landed
      failed += count.failed
    }
    return { windowMillis: Math.min(windowMillis, now - this.#startedAt), landed, failed }
  }
}
