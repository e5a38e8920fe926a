/**
 * What happens in a run, as its reporters are told: in order, one batch at a time.
 */
import type { LifecycleEvent, StoredJob } from "@muster/core"
import type { FleetService } from "@muster/fleet"
import type { Effect } from "effect"
import type { RunSummaryJson } from "./RunJson.ts"
import type { RunJob } from "./RunProgress.ts"

export type News =
  /** A move of one of the run's jobs, or of its agent. */
  | { readonly _tag: "Event"; readonly job: RunJob; readonly event: LifecycleEvent }
  /** The store says that the job is over. `already`: it was so before this run began. */
  | { readonly _tag: "Over"; readonly job: RunJob; readonly stored: StoredJob; readonly already: boolean }
  /** A line's key is taken by a job with another payload; nothing was stored, the rest goes on. */
  | {
      readonly _tag: "Conflict"
      readonly line: number
      readonly workflowType: string
      readonly key: string
      /** The job that has the key. */
      readonly jobId: string
    }

/** How a run ended, and what to type next; both for people. */
interface RunEnding {
  readonly summary: RunSummaryJson
  readonly next: ReadonlyArray<string>
}

/** Tells people or programs what happens, from the start of a run to its summary. */
export interface Reporter {
  readonly tell: (news: ReadonlyArray<News>) => Effect.Effect<void>
  /** The fleet is at work and may be looked at from now on. */
  readonly watch: (fleet: FleetService) => Effect.Effect<void>
  /** The run was asked to stop; running agents are given their time, then handed back. */
  readonly stopping: Effect.Effect<void>
  readonly end: (ending: RunEnding) => Effect.Effect<void>
}
