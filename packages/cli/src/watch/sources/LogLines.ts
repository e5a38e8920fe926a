/**
 * The log of a job: its moves as the store has them, what its agent has said as the file beside the store has it, and what it says, for as long as
 * a host can be asked. A later incarnation is heard as well, and nothing twice.
 */
import { type AgentLine, LogReader } from "@muster/fleet"
import { Effect, Stream } from "effect"
import type { LogLine } from "../BoardSource.ts"

/** Between two attempts to find who has the agent, in milliseconds. */
const searchMillis = 500

/** Lines of the past that are shown. */
const before = 1_000

/** Where the lines of a job are kept. */
export interface Kept {
  /** The store's file. */
  readonly store: string
  readonly jobId: string
}

/** @param listen what its living agent prints; null: nobody has it now */
export const logOf = <E>(
  story: Stream.Stream<ReadonlyArray<LogLine>>,
  { jobId, store }: Kept,
  listen: () => Stream.Stream<AgentLine, E> | null
): Stream.Stream<ReadonlyArray<LogLine>> => {
  let incarnation = 0
  let heard = 0
  const isNew = (line: AgentLine): boolean =>
    line.incarnation > incarnation || (line.incarnation === incarnation && line.number > heard)
  const shown = (batch: ReadonlyArray<AgentLine>): ReadonlyArray<LogLine> => {
    const fresh = batch.filter(isNew)
    const last = fresh.at(-1)
    incarnation = last?.incarnation ?? incarnation
    heard = last?.number ?? heard
    return fresh.map(({ at, source, text }): LogLine => ({ at, source, text }))
  }
  let reader: LogReader | null = null
  const kept = Stream.sync(() => {
    if (reader !== null) return shown(reader.next())
    reader = new LogReader(store, jobId)
    return shown(reader.last(before))
  })
  const live = Stream.suspend(() => {
    const lines = listen()
    if (lines === null) return Stream.empty
    return Stream.mapArray(
      Stream.catchCause(lines, () => Stream.empty),
      (batch) => [shown(batch)] as const
    )
  })
  const once = Stream.concat(kept, live)
  const again = Stream.fromEffectDrain(Effect.sleep(searchMillis))
  const printed = Stream.forever(Stream.concat(once, again))
  return Stream.filter(Stream.merge(story, printed), (lines) => lines.length > 0)
}
