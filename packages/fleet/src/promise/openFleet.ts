/**
 * A Promise facade of the fleet, for hosts without Effect: the same fleet behind async functions and async iterators. It is one of the two
 * places that run effects; the other is the command's entry.
 */
import type { LifecycleEvent, Settlement, Store, StoredJob, Submission, Workflow } from "@muster/core"
import { Cause, Effect, Exit, Fiber, Layer, ManagedRuntime, Stream } from "effect"
import type { AgentGlimpse } from "../agents/Vitals.ts"
import {
  Fleet,
  type FleetEnded,
  type FleetService,
  type FleetSnapshot,
  type HostWishOptions,
  type SettleOptions,
  type SubmitOptions,
  type Submitted,
  type WishAnswer,
  type WishOptions
} from "../Fleet.ts"
import type { FleetOptions } from "../FleetOptions.ts"
import type { Replayed } from "../jobs/Replays.ts"
import * as Observability from "../observability/Observability.ts"
import { iterate } from "./Iteration.ts"
import { abortError, closedError, runnerWith } from "./Rejections.ts"

/** What fills the seat of the store: `SqliteStore.layer({ filename })`, `MemoryStore.layer`, or another store's. */
export type StoreSeat = Layer.Layer<Store, { readonly _tag: string }>

export interface OpenFleetOptions extends FleetOptions {
  readonly store: StoreSeat
  /**
   * What the fleet counts, traces and logs goes to an OpenTelemetry collector: `{ otlp: "http://localhost:4318" }`, or `{}` for the one
   * that OTEL_EXPORTER_OTLP_ENDPOINT names. Left out: nowhere.
   */
  readonly observability?: Observability.ObservabilityOptions
  /** Aborted while the fleet opens, it doesn't; aborted later, it closes as by `close`. */
  readonly signal?: AbortSignal
}

/** Aborted, the call is given up: what it waits for goes on without it. */
export interface Abortable {
  readonly signal?: AbortSignal
}

export interface ResultOptions extends Abortable {
  /** When the signal is aborted, the job is cancelled as well. Default: the wait alone ends. */
  readonly cancelOnAbort?: boolean
}

/** A submitted job. */
export interface PromiseJob<Output> {
  readonly jobId: string
  /** Its key was there already with the same payload, and nothing new was stored. */
  readonly duplicate: boolean
  /** The typed result; rejects with one of the workflow's declared errors, or with `JobFailed` for a job that ended otherwise. */
  readonly result: (options?: ResultOptions) => Promise<Output>
}

export interface EventsOptions extends Abortable {
  /** Events after this sequence; 0: from the start; left out: from now on. */
  readonly after?: number
  readonly jobId?: string
}

/** A fleet in this process. Each call rejects with the tagged error itself: `_tag` is its code, and `instanceof` works. */
export interface PromiseFleet extends AsyncDisposable {
  /** Submits a typed payload, and returns when it is stored. */
  readonly submit: <Payload, Output, E>(
    workflow: Workflow.Workflow<Payload, Output, never, E>,
    payload: Payload,
    options?: SubmitOptions & Abortable
  ) => Promise<PromiseJob<Output>>
  /** Submits plain data for workflows by name; duplicates and conflicts are answers, one a job, in order. */
  readonly submitAll: (
    submissions: ReadonlyArray<Submission>,
    options?: Abortable
  ) => Promise<ReadonlyArray<Submitted>>
  /** Waits until the job is over, whoever submitted it; answers its row and bodies. */
  readonly await: (jobId: string, options?: Abortable) => Promise<StoredJob>
  /** Cancels a job in whatever state; returns when the store says so. */
  readonly cancel: (jobId: string, options?: WishOptions & Abortable) => Promise<void>
  /** Events as they happen. Left early, by `break` or `return`, the iterator closes what is behind it. */
  readonly events: (options?: EventsOptions) => AsyncIterableIterator<LifecycleEvent>
  readonly snapshot: () => Promise<FleetSnapshot>
  /** What living agents say, by job. */
  readonly agents: () => Promise<ReadonlyArray<AgentGlimpse>>
  /** No host of the store takes a job until somebody resumes (R22). */
  readonly pause: (options?: WishOptions & Abortable) => Promise<WishAnswer>
  readonly resume: (options?: WishOptions & Abortable) => Promise<WishAnswer>
  /** The hosts take no new job until nothing runs; returns then. */
  readonly drain: (options?: HostWishOptions & Abortable) => Promise<WishAnswer>
  /** Gives the hosts so many slots; null: those that they were started with. */
  readonly scale: (slots: number | null, options?: HostWishOptions & Abortable) => Promise<WishAnswer>
  /** Replays a dead letter, a FAILED or a CANCELLED job as a new job (R31). */
  readonly replay: (
    jobId: string,
    options?: Parameters<FleetService["replay"]>[1] & Abortable
  ) => Promise<Replayed>
  /** Says what became of a step whose outcome nobody knew (R28). */
  readonly settle: (jobId: string, options: SettleOptions & Abortable) => Promise<Settlement>
  /** Resolves when the fleet is over: with null after `close`, with the error when the host came to its end by itself. Never rejects. */
  readonly closed: Promise<FleetEnded | null>
  /** Stops the host: running agents may go on for `drain`, then they are handed back unburnt, and the store is closed. */
  readonly close: () => Promise<void>
}

/** Opens a fleet in this process. Rejects with the tagged error when it can't start; nothing was started then. */
export const openFleet = async (options: OpenFleetOptions): Promise<PromiseFleet> => {
  const { observability, signal, store, ...others } = options
  signal?.throwIfAborted()
  const observed = observability === undefined ? Layer.empty : Observability.layer(observability)
  const runtime = ManagedRuntime.make(
    Fleet.layer(others).pipe(Layer.provideMerge(store), Layer.provideMerge(observed))
  )
  // the store's own errors are those of its layer; each is tagged
  const started = await runtime.runPromiseExit(
    Effect.context<Fleet | Store>(),
    signal === undefined ? {} : { signal }
  )
  if (Exit.isFailure(started)) {
    await runtime.dispose()
    throw Cause.hasInterruptsOnly(started.cause) ? abortError(signal) : Cause.squash(started.cause)
  }
  const context = started.value
  const run = runnerWith(context)
  const fleet = await run(Fleet)
  const watching = Effect.runForkWith(context)(Effect.flip(fleet.ended))
  const over = new AbortController()
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => {
    closing ??= (async () => {
      signal?.removeEventListener("abort", closeNow)
      await runtime.dispose()
      over.abort(closedError())
      await Effect.runPromise(Fiber.interrupt(watching))
    })()
    return closing
  }
  // who called close hears what went wrong with it; an abort has nobody to tell
  const closeNow = (): void => void close().catch(() => undefined)
  signal?.addEventListener("abort", closeNow)
  const closed = (async () => {
    const exit = await Effect.runPromise(Fiber.await(watching))
    if (Exit.isSuccess(exit)) return exit.value
    await closing
    return null
  })()

  const either = (own: AbortSignal | undefined): AbortSignal =>
    own === undefined ? over.signal : AbortSignal.any([own, over.signal])

  /** A call: given up by its own signal, and by the end of the fleet. */
  const call = async <A, E>(effect: Effect.Effect<A, E>, own: AbortSignal | undefined): Promise<A> => {
    over.signal.throwIfAborted()
    return await run(effect, either(own))
  }

  const jobOf = <Output, E>(
    handle: Effect.Success<ReturnType<FleetService["submit"]>> & {
      readonly result: Effect.Effect<Output, E>
    }
  ): PromiseJob<Output> => ({
    jobId: handle.jobId,
    duplicate: handle.duplicate,
    result: async (wait = {}) => {
      try {
        return await call(handle.result, wait.signal)
      } catch (error) {
        // too late, or gone: then there is nothing to cancel, and the caller asked for the result
        if (wait.signal?.aborted === true && wait.cancelOnAbort === true)
          await call(Effect.ignore(fleet.cancel(handle.jobId)), undefined)
        throw error
      }
    }
  })

  return {
    submit: async (workflow, payload, given = {}) => {
      const { signal: own, ...said } = given
      return jobOf(await call(fleet.submit(workflow, payload, said), own))
    },
    submitAll: (submissions, given = {}) => call(fleet.submitAll(submissions), given.signal),
    await: (jobId, given = {}) => call(fleet.await(jobId), given.signal),
    cancel: (jobId, { signal: own, ...said } = {}) => call(fleet.cancel(jobId, said), own),
    events: ({ signal: own, ...wanted } = {}) =>
      iterate(Stream.toAsyncIterableWith(fleet.events(wanted), context), either(own)),
    snapshot: () => call(fleet.snapshot, undefined),
    agents: () => call(fleet.agents, undefined),
    pause: ({ signal: own, ...said } = {}) => call(fleet.pause(said), own),
    resume: ({ signal: own, ...said } = {}) => call(fleet.resume(said), own),
    drain: ({ signal: own, ...said } = {}) => call(fleet.drain(said), own),
    scale: (slots, { signal: own, ...said } = {}) => call(fleet.scale(slots, said), own),
    replay: (jobId, { signal: own, ...said } = {}) => call(fleet.replay(jobId, said), own),
    settle: (jobId, { signal: own, ...said }) => call(fleet.settle(jobId, said), own),
    closed,
    close,
    [Symbol.asyncDispose]: close
  }
}
