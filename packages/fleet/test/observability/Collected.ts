// What somebody who collects gets to see: each series under its name and its labels.
import { Effect, Metric } from "effect"

/** A registry of the test's own: the process has one for all. */
export const inOwnRegistry = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(effect, Metric.MetricRegistry, new Map())

const labelsOf = (attributes: Metric.Metric.AttributeSet | undefined): string =>
  Object.entries(attributes ?? {})
    .filter(([key]) => key !== "unit" && key !== "muster.host")
    .map(([key, value]) => `${key.replace("muster.", "")}=${value}`)
    .toSorted()
    .join(",")

/** As in `muster.retries burned=true,reason=attempt_failed`: counts and gauges are numbers, of a histogram the count. */
export const collect: Effect.Effect<Record<string, number>> = Effect.map(Metric.snapshot, (snapshot) => {
  const found: Record<string, number> = {}
  for (const series of snapshot) {
    const name = `${series.id} ${labelsOf(series.attributes)}`.trim()
    if (series.type === "Counter" || series.type === "Histogram") found[name] = Number(series.state.count)
    if (series.type === "Gauge") found[name] = Number(series.state.value)
  }
  return found
})

/** Those of one metric. */
export const of = (name: string): Effect.Effect<Record<string, number>> =>
  Effect.map(collect, (found) =>
    Object.fromEntries(
      Object.entries(found).flatMap(([key, value]) => {
        const [metric = "", labels = ""] = key.split(" ", 2)
        return metric === name ? [[labels, value]] : []
      })
    )
  )
