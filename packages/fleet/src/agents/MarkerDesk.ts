/**
 * Where incarnations ask for markers and wait for the answer: a marker is a signal of the loop, and its answer comes after the commit (R28).
 */
import {
  BoundedText,
  givenName,
  limits,
  markerFault,
  MarkerInvalid,
  type Markers,
  type Signal
} from "@muster/core"
import { Deferred, Effect } from "effect"
import type { Incarnation } from "./Incarnation.ts"

export interface MarkerDeskOptions {
  readonly post: (signal: Signal) => void
  /** Monotonic milliseconds, as the vitals are in. */
  readonly now: () => number
}

export class MarkerDesk {
  private readonly asked = new Map<number, Deferred.Deferred<boolean>>()
  private readonly options: MarkerDeskOptions
  private closed = false
  private last = 0

  constructor(options: MarkerDeskOptions) {
    this.options = options
  }

  /** The markers of one incarnation; what it has recalled from earlier ones is in `life.markers`. */
  of(life: Incarnation): Markers {
    const who = { seq: life.seq, incarnation: life.number }
    let left: number = limits.markers
    const refuse = (name: string, detail: string) =>
      Effect.fail(new MarkerInvalid({ jobId: life.job.jobId, marker: givenName(name), detail }))
    return {
      finished: life.markers.finished,
      start: (name) =>
        Effect.suspend(() => {
          const fault = markerFault(givenName(name))
          if (fault !== null) return refuse(name, fault)
          if (--left < 0) return refuse(name, `an incarnation begins at most ${limits.markers} steps`)
          const doubtful = life.markers.doubtful.has(name)
          return this.ask(life, (id) => ({ _tag: "MarkerStarted", ...who, id, name, doubtful }))
        }),
      finish: (name, result) =>
        Effect.suspend(() => {
          const fault = markerFault(givenName(name))
          if (fault !== null) return refuse(name, fault)
          if (result !== null && !BoundedText.fits(result, limits.markerBytes))
            return refuse(name, `its result takes more than ${limits.markerBytes} bytes as JSON`)
          const asking = this.ask(life, (id) => ({ _tag: "MarkerFinished", ...who, id, name, result }))
          return Effect.tap(asking, (accepted) =>
            Effect.sync(() => {
              if (accepted && result !== null) life.markers.finished.set(name, result)
            })
          )
        })
    }
  }

  /** The result of earlier work counts no more: it is done again. False as for every marker. */
  forgetWork(life: Incarnation): Effect.Effect<boolean> {
    const { number: incarnation, seq } = life
    return this.ask(life, (id) => ({
      _tag: "MarkerFinished",
      seq,
      incarnation,
      id,
      name: "commit",
      result: null
    }))
  }

  /** The answer to a marker; whoever asked may be gone by now. */
  answer(id: number, accepted: boolean): void {
    const waiting = this.asked.get(id)
    this.asked.delete(id)
    if (waiting !== undefined) Deferred.doneUnsafe(waiting, Effect.succeed(accepted))
  }

  /** Nothing is written any more: who waits is refused, and so is who asks from now on. */
  close(): void {
    this.closed = true
    for (const id of this.asked.keys()) this.answer(id, false)
  }

  /** Posts at once, in the order of asking. While the store lets it wait, the incarnation is not silent (R21). */
  private ask(life: Incarnation, signal: (id: number) => Signal): Effect.Effect<boolean> {
    return Effect.suspend(() => {
      if (this.closed) return Effect.succeed(false)
      const id = ++this.last
      const answer = Deferred.makeUnsafe<boolean>()
      this.asked.set(id, answer)
      life.vitals.waitsForStore++
      this.options.post(signal(id))
      return Effect.ensuring(
        Deferred.await(answer),
        Effect.sync(() => {
          this.asked.delete(id)
          life.vitals.waitsForStore--
          life.vitals.lastEventAt = this.options.now()
        })
      )
    })
  }
}
