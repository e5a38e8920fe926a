/**
 * What facets have said, as hosts have written it down: the newest first.
 */
import { type LifecycleEvent, Outcome, Store } from "@muster/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

export interface Reflection {
  readonly event: LifecycleEvent
  readonly said: Outcome.ReflectionDetail
}

/** Records of one page, and of all that are read. */
const [page, most] = [500, 10_000]

/** Those since `from`, epoch ms; of the newest 10,000 records of hosts. */
export const reflectionsSince = Effect.fnUntraced(function* (from: number) {
  const store = yield* Store
  const found: Array<Reflection> = []
  for (let after = 0, read = 0; read < most;) {
    const events = yield* store.events({ job: null, hosts: true, after, limit: page, order: "descending" })
    for (const event of events) {
      if (event.occurredAt < from) return found
      const said = Option.getOrNull(Outcome.detailIn(event))
      if (said !== null) found.push({ event, said })
    }
    read += events.length
    after = events.at(-1)?.sequence ?? 0
    if (events.length < page) return found
  }
  return found
})

/** The newest of each facet, in that order. */
export const latestOfEach = (reflections: ReadonlyArray<Reflection>): ReadonlyArray<Reflection> => {
  const seen = new Set<string>()
  return reflections.filter(({ said }) => !seen.has(said.facet) && seen.add(said.facet))
}
