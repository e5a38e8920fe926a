/**
 * Where the board gets what it shows and who carries out what its keys ask for. One for live hosts, one for the store alone, one for the
 * fleet of `muster run`.
 */
import type { Effect, Stream } from "effect"
import type { FleetLook } from "./FleetLook.ts"

/** A line of an agent's log, or a move of its job. */
export interface LogLine {
  /** Epoch ms; null where nobody knows. */
  readonly at: number | null
  readonly source: "stdout" | "stderr" | "log" | "progress" | "event"
  readonly text: string
}

/** Each answers what to tell who pressed the key; it never fails, a refusal is an answer too. */
export interface BoardActions {
  readonly cancel: (jobId: string) => Effect.Effect<string>
  readonly pause: Effect.Effect<string>
  readonly resume: Effect.Effect<string>
  /** @param host null: all hosts */
  readonly scale: (host: number | null, slots: number) => Effect.Effect<string>
  readonly replay: (jobId: string) => Effect.Effect<string>
}

export interface BoardSource {
  /** Looks, one after the other; the reader takes the latest and skips what it had no time for. */
  readonly looks: Stream.Stream<FleetLook>
  /** What is known of a job so far, then what comes; batches in order of time. */
  readonly log: (jobId: string) => Stream.Stream<ReadonlyArray<LogLine>>
  readonly actions: BoardActions
}
