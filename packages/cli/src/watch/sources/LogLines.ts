import type { AgentLine } from "@muster/fleet"
/**
 * The log of a job: its moves as the store has them, and what its agent prints, for as long as a host can be asked. A later incarnation is
 * heard as well, and nothing twice.
 */
import { Effect, Stream } from "effect"
import type { LogLine } from "../BoardSource.ts"

/** Between two attempts to find who has the agent, in milliseconds. */
const searchMillis = 500

/** @param listen what its living agent prints; null: nobody has it now */
export const logOf = <E>(
  story: Stream.Stream<ReadonlyArray<LogLine>>,
  listen: () => Stream.Stream<AgentLine, E> | null
): Stream.Stream<ReadonlyArray<LogLine>> => {
  let incarnation = 0
  let heard = 0
  const isNew = (line: AgentLine): boolean =>
    line.incarnation > incarnation || (line.incarnation === incarnation && line.number > heard)
  const once = Stream.suspend(() => {
    const lines = listen()
    if (lines === null) return Stream.empty
    return Stream.mapArray(
      Stream.catchCause(lines, () => Stream.empty),
      (batch) => {
        const fresh = batch.filter(isNew)
        const last = fresh.at(-1)
        incarnation = last?.incarnation ?? incarnation
        heard = last?.number ?? heard
        const shown = fresh.map(({ at, source, text }): LogLine => ({ at, source, text }))
        return [shown] as const
      }
    )
  })
  const again = Stream.fromEffectDrain(Effect.sleep(searchMillis))
  const printed = Stream.forever(Stream.concat(once, again))
  return Stream.filter(Stream.merge(story, printed), (lines) => lines.length > 0)
}
