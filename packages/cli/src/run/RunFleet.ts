/**
 * One run from the start of its fleet to its summary: the reporter that fits the output, the fleet over its store, its jobs, and, when the
 * fleet has stopped, what the store says became of them.
 */
import type { Workflow } from "@muster/core"
import { Fleet, type FleetOptions } from "@muster/fleet"
import { Clock, Effect, Layer, Tracer } from "effect"
import { JsonFlag } from "../GlobalFlags.ts"
import { style as outputStyle } from "../output/Style.ts"
import * as StoreFile from "../store/StoreFile.ts"
import { canShow } from "../watch/canShow.ts"
import * as BoardReporter from "./BoardReporter.ts"
import { exporting, type OtlpSetting } from "./Exporting.ts"
import type { JobLine } from "./JobLine.ts"
import * as JsonReporter from "./JsonReporter.ts"
import * as LineReporter from "./LineReporter.ts"
import { type RunCounts, runJobs } from "./RunJobs.ts"
import type { RunSummaryJson } from "./RunJson.ts"
import { RunProgress } from "./RunProgress.ts"
import { summarise } from "./RunSummary.ts"
import { tellPauses } from "./TellPauses.ts"

/** Jobs of the run that the next commands may name. */
export interface Look {
  /** One that is worth a look: one that didn't land, if there is one; null when the run has no job. */
  readonly example: string | null
  /** One that waits for an operator's answer; null when none does. */
  readonly parked: string | null
  /** The id of a line's job; null where it has none. */
  readonly jobOf: (line: number) => string | null
}

export interface FleetRun {
  /** What the board is headed by. */
  readonly title: string
  readonly workflows: ReadonlyArray<Workflow.Any>
  /** The store's file. */
  readonly store: string
  readonly slots: number
  /** How long running agents may go on when the run is asked to stop, in milliseconds. */
  readonly drainMillis: number
  /** What else the host is started with; left out, its defaults. */
  readonly fleet?: Omit<FleetOptions, "workflows" | "slots" | "drain">
  /** Where it exports to; left out, nowhere. */
  readonly otlp?: OtlpSetting
  /** Null: works the jobs that wait. */
  readonly lines: ReadonlyArray<JobLine> | null
  /** Bad lines that were left out. */
  readonly skipped: number
  /** What to type next. */
  readonly next: (summary: RunSummaryJson, look: Look) => ReadonlyArray<string>
}

const reporterFor = Effect.fnUntraced(function* (run: FleetRun, progress: RunProgress) {
  if (yield* JsonFlag) return JsonReporter.make()
  const style = yield* outputStyle
  if (!(yield* canShow)) return LineReporter.make(style)
  return yield* BoardReporter.make({ title: run.title, progress, style })
})

/** Its socket, for commands and boards: loaded beside the first jobs, which don't wait for it. */
const serveControl = (store: string) =>
  Effect.flatMap(
    Effect.promise(() => import("@muster/fleet/control")),
    ({ Control }) => Effect.andThen(Layer.build(Control.layer({ store })), Effect.never)
    // What boards and commands ask for is no job's trace.
  ).pipe(Effect.provideService(Tracer.CurrentTraceLevel, "Debug"))

/** Runs it, and answers its summary once the fleet has stopped and the summary has been told. */
export const runFleet = Effect.fnUntraced(
  function* (run: FleetRun) {
    const names = run.workflows.map(({ name }) => name)
    const served = new Set(names)
    const progress = new RunProgress(served)
    const counts: RunCounts = { lines: 0, submitted: 0, duplicates: 0, already: 0, conflicts: 0 }
    const startedAt = yield* Clock.currentTimeMillis
    yield* tellPauses
    const reporter = yield* reporterFor(run, progress)

    const conclude = Effect.fnUntraced(function* (interrupted: boolean) {
      const { example, summary } = yield* summarise({
        workflows: names,
        store: run.store,
        progress,
        counts,
        lines: run.lines?.length ?? 0,
        skipped: run.skipped,
        elapsedMillis: (yield* Clock.currentTimeMillis) - startedAt,
        interrupted
      })
      const jobOf = (line: number): string | null =>
        Array.from(progress.jobs).find((job) => job.line === line)?.jobId ?? null
      const parked =
        Array.from(progress.jobs).find(({ asks, over }) => !over && asks.length > 0)?.jobId ?? null
      yield* reporter.end({ summary, next: run.next(summary, { example, parked, jobOf }) })
      return summary
    })

    const fleet = Fleet.layer({
      ...run.fleet,
      workflows: run.workflows,
      slots: run.slots,
      drain: run.drainMillis
    })
    const working = runJobs({ lines: run.lines, workflows: served, progress, counts, reporter })
    yield* Effect.andThen(Effect.forkScoped(serveControl(run.store)), working).pipe(
      Effect.scoped,
      Effect.onInterrupt(() => reporter.stopping),
      Effect.provide(fleet),
      // The fleet has stopped by then: what it handed back is in the store.
      Effect.onInterrupt(() => Effect.ignore(conclude(true), { log: "Error" }))
    )
    return yield* conclude(false)
  },
  (effect, run) =>
    effect.pipe(
      Effect.scoped,
      Effect.provide(
        // Exporters are around everything: what the stop has to say is exported too.
        Layer.provideMerge(
          StoreFile.open({ filename: run.store }),
          run.otlp === undefined ? Layer.empty : exporting(run.otlp)
        )
      )
    )
)
