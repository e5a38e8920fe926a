/**
 * What a host counts and times of its turns. In the loop it costs additions; the registry hears of them once a turn. What is only read
 * when somebody collects is in Gauges.ts.
 */
import type { Catalogue, Draft, EventDraft, LoopMove } from "@muster/core"
import { Effect } from "effect"
import type { Spent } from "../agents/Spending.ts"
import { Cardinality } from "./Cardinality.ts"
import { attributes, counters, histograms } from "./MetricNames.ts"
import { Counter, histogram, type Series } from "./Series.ts"

/** What is counted for one workflow. */
interface OfWorkflow {
  readonly name: string
  readonly submitted: Series
  readonly attempts: Series
  readonly ended: (state: string) => Series
  readonly retried: (burned: boolean, reason: string) => Series
}

export interface MetersOptions {
  /** Its rows that stand for one code are always told apart. */
  readonly catalogue: Catalogue
  /** Those that the host serves. */
  readonly workflows: Iterable<string>
}

type Change = Draft.Change

const nanosPerSecond = 1e9

export const make = Effect.fnUntraced(function* (options: MetersOptions) {
  const context = yield* Effect.context()
  const dirty: Array<Series> = []
  const made = {
    submitted: new Counter(counters.submitted, dirty),
    ended: new Counter(counters.ended, dirty),
    attempts: new Counter(counters.attempts, dirty),
    failures: new Counter(counters.failures, dirty),
    retries: new Counter(counters.retries, dirty),
    letters: new Counter(counters.letters, dirty),
    moves: new Counter(counters.moves, dirty),
    undeliverable: new Counter(counters.undeliverable, dirty),
    tokens: new Counter(counters.tokens, dirty),
    cost: new Counter(counters.cost, dirty)
  }
  const timed = {
    turn: histogram(histograms.turn),
    commit: histogram(histograms.commit),
    signals: histogram(histograms.signals),
    lag: histogram(histograms.lag)
  }
  const workflows = new Cardinality(options.workflows)
  const codes = new Cardinality(options.catalogue.entries.map(({ policy }) => policy.code))

  const known = new Map<string, OfWorkflow>()
  /** By its name as jobs have it; names without room of their own share one. */
  const workflowOf = (name: string): OfWorkflow => {
    const found = known.get(name)
    if (found !== undefined) return found
    const label = workflows.of(name)
    const shared = label === name ? undefined : known.get(label)
    if (shared !== undefined) return shared
    const labels = { [attributes.workflow]: label }
    const ofWorkflow: OfWorkflow = {
      name: label,
      submitted: made.submitted.of(label, () => labels),
      attempts: made.attempts.of(label, () => labels),
      ended: (state) => made.ended.of(`${state} ${label}`, () => ({ ...labels, [attributes.state]: state })),
      retried: (burned, reason) =>
        made.retries.of(`${burned} ${reason} ${label}`, () => ({
          ...labels,
          [attributes.burned]: String(burned),
          [attributes.reason]: reason
        }))
    }
    known.set(label, ofWorkflow)
    return ofWorkflow
  }

  const ofCode = (counter: Counter, code: string): Series => {
    const label = codes.of(code)
    return counter.of(label, () => ({ [attributes.code]: label }))
  }

  /** One move of a job. */
  const move = (of: OfWorkflow, { errorCode, event, transitionReason }: EventDraft, change: Change): void => {
    switch (event) {
      case "accept":
      case "retry":
        of.attempts.add(1)
        return
      case "complete":
      case "cancel":
        of.ended(change.job.state).add(1)
        return
      case "schedule_retry":
        of.retried(change.retry?.burned ?? false, transitionReason).add(1)
        if (errorCode !== null) ofCode(made.failures, errorCode).add(1)
        return
      case "fail":
      case "reject":
        // What is quarantined is told of by the move that follows in the same change.
        if (change.job.state === "FAILED") of.ended("FAILED").add(1)
        if (errorCode !== null) ofCode(made.failures, errorCode).add(1)
        return
      case "dead_letter":
        of.ended("DEAD_LETTERED").add(1)
        return
    }
  }

  /** What was counted is told. */
  const flush = (): void => {
    for (const series of dirty) series.flush(context)
    dirty.length = 0
  }

  const none = {}
  return {
    /** A committed change. */
    changed: (change: Change): void => {
      const of = workflowOf(change.job.workflowType)
      for (const event of change.events) if (event.subjectKind === "job") move(of, event, change)
      if (change.letter !== null) ofCode(made.letters, change.letter.failureErrorCode).add(1)
    },
    /** A move of the loop. */
    moved: (event: LoopMove): void => made.moves.of(event, () => ({ [attributes.event]: event })).add(1),
    submitted: (workflowType: string): void => workflowOf(workflowType).submitted.add(1),
    buried: (count: number): void => made.undeliverable.of("", () => none).add(count),
    /** What agents have reported: all of it, before and after a report. */
    spent: (before: Spent, after: Spent): void => {
      const since = (field: keyof Spent) => (after[field] ?? 0) - (before[field] ?? 0)
      const tokens = (type: string) => made.tokens.of(type, () => ({ [attributes.direction]: type }))
      tokens("input").add(since("inputTokens"))
      tokens("output").add(since("outputTokens"))
      made.cost.of("", () => none).add(since("cost"))
      // No turn follows a report.
      flush()
    },
    /** Times in nanoseconds. */
    committed: (nanos: bigint): void => timed.commit.updateUnsafe(Number(nanos) / nanosPerSecond, context),
    /** The end of a turn that had something to write: what was counted since the last one is told. */
    turned: (nanos: bigint, signals: number): void => {
      timed.turn.updateUnsafe(Number(nanos) / nanosPerSecond, context)
      timed.signals.updateUnsafe(signals, context)
      flush()
    },
    /** How late a timer was, in milliseconds. */
    lagged: (millis: number): void => timed.lag.updateUnsafe(Math.max(0, millis) / 1_000, context)
  }
})

export type Meters = Effect.Success<ReturnType<typeof make>>
