/**
 * The embedding API: a fleet in this process, over the store that fills its seat. `Fleet.layer` starts the host, its loop and its
 * slots; closing the layer's scope stops them and hands work back.
 */
import type {
  ConfigInvalid,
  DeadLetterRequired,
  ModelDrift,
  PluginFailed,
  Store,
  DuplicateIdempotencyKey,
  HostFenced,
  HostNotFound,
  JobFailed,
  JobNotFound,
  JobState,
  LifecycleEvent,
  LoopState,
  MarkerInvalid,
  PayloadTooLarge,
  PayloadTypeMismatch,
  ReplayContextMissing,
  Settlement,
  SettleTooLate,
  StoreBroken,
  StoredJob,
  StoreFailure,
  StoreStale,
  Submission,
  CancelTooLate,
  TallyRows,
  Workflow
} from "@muster/core"
import { Context, type Effect, Layer, type Scope, type Stream } from "effect"
import type { Digest } from "effect/crypto"
import type { Documents } from "./adapters/documents/Documents.ts"
import * as NodeDocuments from "./adapters/documents/NodeDocuments.ts"
import * as NodeAgentLogs from "./adapters/logs/NodeAgentLogs.ts"
import * as NodeDigest from "./adapters/NodeDigest.ts"
import * as NodeResources from "./adapters/NodeResources.ts"
import type { HostProbe } from "./adapters/process/HostProbe.ts"
import * as NodeHostProbe from "./adapters/process/NodeHostProbe.ts"
import * as NodeProcessReaper from "./adapters/process/NodeProcessReaper.ts"
import type { ProcessReaper } from "./adapters/process/ProcessReaper.ts"
import type { AgentLine } from "./agents/AgentLines.ts"
import type { Spent } from "./agents/Spending.ts"
import type { AgentGlimpse } from "./agents/Vitals.ts"
import { make } from "./FleetLive.ts"
import type { FleetOptions } from "./FleetOptions.ts"
import type { Replayed } from "./jobs/Replays.ts"
import type { OpenBreaker } from "./loop/Breakers.ts"
import type { Landed } from "./loop/Throughput.ts"
import type { StoreTrouble } from "./loop/Trouble.ts"
import type { MessageService } from "./messages/FleetMessages.ts"
import type { FacetGlimpse } from "./reflection/Reflection.ts"

/** Why the host came to its end by itself. */
export type FleetEnded = HostFenced | StoreBroken

/** A submitted job. `duplicate`: its key was there already with the same payload, and nothing new was stored. */
export interface JobHandle<Output, E = never> {
  readonly jobId: string
  readonly duplicate: boolean
  /**
   * Waits for the job's end: its typed result; one of the workflow's declared errors; `JobFailed` for a job that ended otherwise: failed,
   * quarantined or cancelled.
   */
  readonly result: Effect.Effect<Output, E | JobFailed | StoreFailure | JobNotFound | FleetEnded>
}

export type SubmitError =
  | DuplicateIdempotencyKey
  | PayloadTypeMismatch
  | PayloadTooLarge
  | StoreFailure
  | FleetEnded

/** What may be said with a submission; see the job's fields. */
export interface SubmitOptions {
  readonly idempotencyKey?: string
  readonly priority?: number
  /** Epoch ms before which the job must not start; default now. */
  readonly runAt?: number
  readonly maxRetries?: number
  readonly correlationId?: string
  readonly traceContext?: string
}

/** How the fleet stands right now on this host. */
export interface FleetSnapshot {
  readonly host: number
  /** What operators want of it, the first that holds; paused and draining hosts take no new job (R13, R22). */
  readonly mode: "running" | "paused" | "draining" | "stopping" | "stopped"
  /** Those that it has now: an operator may have scaled it. */
  readonly slots: number
  readonly usedSlots: number
  /** Incarnations that were given up and are alive still (R4). */
  readonly hung: number
  /** The names of the workflows whose jobs this host takes. */
  readonly workflows: ReadonlyArray<string>
  /** Epoch ms: when this host enlisted. */
  readonly startedAt: number
  /** The loop's own state (`muster machine loop`), why it is there, its commits so far, and when it last banked, epoch ms. */
  readonly loop: {
    readonly state: LoopState
    readonly reason: string
    readonly turns: number
    readonly bankedAt: number | null
  }
  /** What this host has brought to an end within the last minute. */
  readonly throughput: Landed
  /** What its agents have reported in all. */
  readonly spent: Spent
  /** Workflows whose jobs wait because too many attempts have failed, and until when. */
  readonly breakers: ReadonlyArray<OpenBreaker>
  /** Since when the store doesn't answer: meanwhile nothing is dispatched or landed (R21). Null: it answers. */
  readonly trouble: StoreTrouble | null
  /** The living agents, by slot's age. */
  readonly agents: ReadonlyArray<AgentGlimpse>
  readonly tally: TallyRows
}

/** What an operator may say with a wish. */
export interface WishOptions {
  /** `kind:id` of who wants it; default this process. */
  readonly actor?: string
  /** Why; kept with the wish. */
  readonly reason?: string
  /** Repeating a request under the same id answers as the first one was answered (R24). */
  readonly requestId?: string
}

export interface HostWishOptions extends WishOptions {
  /** The host that it addresses; default all hosts of the store. */
  readonly host?: number
}

/** A wish as the store has it. */
export interface WishAnswer {
  /** Its number. */
  readonly intent: number
  /** What came of it; null while it is in force. */
  readonly outcome: string | null
}

export interface FleetService extends MessageService {
  /** Submits a typed payload. Waits for its commit, and for room when the fleet is flooded. */
  readonly submit: <Payload, Output, R, E>(
    workflow: Workflow.Workflow<Payload, Output, R, E>,
    payload: Payload,
    options?: SubmitOptions
  ) => Effect.Effect<JobHandle<Output, E>, SubmitError>
  /** Submits plain data for a workflow by name; the payload is JSON-safe. Duplicates and conflicts are answers here, one a job, in order. */
  readonly submitAll: (
    submissions: ReadonlyArray<Submission>,
    options?: { readonly actor?: string }
  ) => Effect.Effect<
    ReadonlyArray<Submitted>,
    PayloadTooLarge | PayloadTypeMismatch | StoreFailure | FleetEnded
  >
  /** Waits until the job is over: COMPLETED, CANCELLED, DEAD_LETTERED or FAILED for good; answers its row and bodies. */
  readonly await: (jobId: string) => Effect.Effect<StoredJob, StoreFailure | JobNotFound | FleetEnded>
  /**
   * Cancels a job in whatever state; returns when the store says so. Too late once its landing has begun: should that fail, the job is
   * cancelled all the same (R26).
   */
  readonly cancel: (
    jobId: string,
    options?: WishOptions
  ) => Effect.Effect<void, CancelTooLate | JobNotFound | StoreFailure | FleetEnded>
  /** The events after `after` (0: from the start; left out: from now on), then those to come, of one job or of all. */
  readonly events: (options?: {
    readonly after?: number
    readonly jobId?: string
  }) => Stream.Stream<LifecycleEvent, StoreFailure | JobNotFound>
  readonly snapshot: Effect.Effect<FleetSnapshot, StoreFailure>
  /** What living agents say, by job id: kept in memory, a look costs nothing. */
  readonly agents: Effect.Effect<ReadonlyArray<AgentGlimpse>>
  /** The registry of facets: what each has declared, and how it stands since the start. Kept in memory, a look costs nothing. */
  readonly facets: Effect.Effect<ReadonlyArray<FacetGlimpse>>
  /**
   * The last lines of a job's living agent, then those to come, until its incarnation is over; ends at once where none lives here. A listener
   * that is too slow loses lines, never the agent time.
   */
  readonly lines: (jobId: string) => Stream.Stream<AgentLine, JobNotFound | StoreFailure>
  /** No host of the store takes a job until somebody resumes, this one from now on; what runs goes on. Survives restarts (R22). */
  readonly pause: (options?: WishOptions) => Effect.Effect<WishAnswer, StoreFailure | FleetEnded>
  /** Ends all pauses; the slots then fill up one by one. Answers `resumed` or `not_paused`. */
  readonly resume: (options?: WishOptions) => Effect.Effect<WishAnswer, StoreFailure | FleetEnded>
  /**
   * The hosts take no new job until nothing runs; returns then, and they work on. Answers `drained` or `host_gone`. With `wait: false` it
   * returns as soon as the wish is recorded.
   */
  readonly drain: (
    options?: HostWishOptions & { readonly wait?: boolean }
  ) => Effect.Effect<WishAnswer, HostNotFound | StoreFailure | FleetEnded>
  /**
   * Gives the hosts so many slots, whatever they were started with; null: those, which
   * answers `reset` where no older scale is held off by it. Agents beyond them finish. Survives restarts (R22).
   */
  readonly scale: (
    slots: number | null,
    options?: HostWishOptions
  ) => Effect.Effect<WishAnswer, ConfigInvalid | HostNotFound | StoreFailure | FleetEnded>
  /**
   * Replays a dead letter, a FAILED or a CANCELLED job as a new job with its whole envelope and budget; a second replay answers with the
   * first one's job (R31). `fresh`: it reads no finished marker of its predecessors.
   */
  readonly replay: (
    jobId: string,
    options?: { readonly actor?: string; readonly reason?: string; readonly fresh?: boolean }
  ) => Effect.Effect<Replayed, ReplayContextMissing | JobNotFound | StoreFailure | StoreStale | FleetEnded>
  /**
   * Says what became of a step whose outcome nobody knew, of a job that is parked because of it (R28): `done`, with the result that later
   * incarnations get; `not_done`, and the next one does it; or `fail`, which ends the job. Returns when the store says so.
   */
  readonly settle: (
    jobId: string,
    options: SettleOptions
  ) => Effect.Effect<Settlement, SettleTooLate | MarkerInvalid | JobNotFound | StoreFailure | FleetEnded>
  /** Fails when the host has come to its end by itself; else never returns. */
  readonly ended: Effect.Effect<never, FleetEnded>
}

/** What became of a step. */
export interface SettleOptions {
  /** Left out: the only one that is in question. */
  readonly marker?: string
  readonly outcome: Settlement["outcome"]
  /** JSON data; only of `done`. */
  readonly result?: unknown
  readonly actor?: string
  readonly reason?: string
  /** Repeating a request under the same id answers as the first did (R24). */
  readonly requestId?: string
}

/** What became of one submission. */
export interface Submitted {
  readonly _tag: "Inserted" | "Duplicate" | "Conflict"
  readonly jobId: string
  readonly state: JobState
  /** Epoch ms. */
  readonly runAt: number
}

/** Why a fleet didn't start. Nothing was started then. */
export type FleetStartError = ConfigInvalid | DeadLetterRequired | ModelDrift | PluginFailed | StoreFailure

export class Fleet extends Context.Service<Fleet, FleetService>()("@muster/fleet/Fleet") {
  /** A fleet whose look at the machine is given from outside: for tests and unusual hosts. */
  static layerNoDeps<R = never>(
    options: FleetOptions<R>
  ): Layer.Layer<
    Fleet,
    FleetStartError,
    Exclude<R, Scope.Scope> | Store | HostProbe | ProcessReaper | Digest.Digest | Documents
  > {
    return Layer.effect(Fleet, make(options))
  }

  /** A fleet in this process. What its workflows and plugins need, and the store, come from outside. */
  static layer<R = never>(
    options: FleetOptions<R>
  ): Layer.Layer<Fleet, FleetStartError, Exclude<R, Scope.Scope> | Store> {
    return Fleet.layerNoDeps(options).pipe(
      Layer.provide([
        NodeHostProbe.layer,
        NodeProcessReaper.layer,
        NodeDigest.layer,
        NodeAgentLogs.layer,
        NodeResources.layer,
        NodeDocuments.layer(options.documents)
      ])
    )
  }
}
