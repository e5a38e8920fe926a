/**
 * Counters that cost an addition where they are counted: what has come together in a turn reaches Effect's registry once, by `flush`.
 */
import { type Context, Metric } from "effect"
import type { Attribute, MetricDeclaration } from "./MetricNames.ts"

export type Labels = Readonly<Partial<Record<Attribute, string>>>

/** Effect's exporter reads a metric's unit from the attribute of this name, and keeps it out of the labels for Prometheus. */
const unitOf = ({ unit }: MetricDeclaration) => ({ unit })

/** One line of a counter: its labels are fixed. */
export class Series {
  readonly #dirty: Array<Series>
  readonly #metric: Metric.Counter<number>
  #pending = 0

  constructor(metric: Metric.Counter<number>, dirty: Array<Series>) {
    this.#metric = metric
    this.#dirty = dirty
  }

  add(count: number): void {
    // A counter only rises: a report below the one before it takes nothing back.
    if (!(count > 0)) return
    if (this.#pending === 0) this.#dirty.push(this)
    this.#pending += count
  }

  /** What is pending goes to the registry. */
  flush(context: Context.Context<never>): void {
    this.#metric.updateUnsafe(this.#pending, context)
    this.#pending = 0
  }
}

/** All series of one counter, by their labels. */
export class Counter {
  readonly #metric: Metric.Counter<number>
  readonly #dirty: Array<Series>
  readonly #series = new Map<string, Series>()

  /** `dirty`: where a series puts itself when it has something to flush. */
  constructor(declaration: MetricDeclaration, dirty: Array<Series>) {
    this.#metric = Metric.counter(declaration.name, {
      description: declaration.description,
      incremental: true,
      attributes: unitOf(declaration)
    })
    this.#dirty = dirty
  }

  /** `key`: what tells these labels from others of the counter. */
  of(key: string, labels: () => Labels): Series {
    const found = this.#series.get(key)
    if (found !== undefined) return found
    const made = new Series(Metric.withAttributes(this.#metric, labels()), this.#dirty)
    this.#series.set(key, made)
    return made
  }
}

export const histogram = (declaration: MetricDeclaration): Metric.Histogram<number> =>
  Metric.histogram(declaration.name, {
    description: declaration.description,
    boundaries: declaration.boundaries ?? [],
    attributes: unitOf(declaration)
  })

/** One line of a gauge. */
export const gauge = (declaration: MetricDeclaration, labels: Labels): Metric.Gauge<number> =>
  Metric.gauge(declaration.name, {
    description: declaration.description,
    attributes: { ...unitOf(declaration), ...labels }
  })
