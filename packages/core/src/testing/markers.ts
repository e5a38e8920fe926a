/**
 * Markers for tests of runners: kept in memory, with a record of what was asked.
 */
import { Effect } from "effect"
import type { Markers } from "../ports/Markers.ts"

export interface RecordedMarkers {
  readonly markers: Markers
  /** What was asked, in order: `start pay`, `finish pay {"id":7}`, and `clear pay` where it was not done. */
  readonly asked: ReadonlyArray<string>
}

/** Of an incarnation before which these steps were finished (JSON text of the results, by kept name). `refuses`: it no longer owns its job. */
export const recordMarkers = (
  options: {
    readonly finished?: Readonly<Record<string, string>>
    readonly refuses?: boolean
  } = {}
): RecordedMarkers => {
  const finished = new Map(Object.entries(options.finished ?? {}))
  const asked: Array<string> = []
  const accepts = options.refuses !== true
  return {
    asked,
    markers: {
      finished,
      start: (name) =>
        Effect.sync(() => {
          asked.push(`start ${name}`)
          return accepts
        }),
      finish: (name, result) =>
        Effect.sync(() => {
          asked.push(result === null ? `clear ${name}` : `finish ${name} ${result}`)
          if (accepts && result !== null) finished.set(name, result)
          return accepts
        })
    }
  }
}
