/**
 * The definition of one kind of job: payload and result schemas, how it runs, what it uses, its policies. Its name is the job's
 * `workflow_type`. A host serves the workflows that it defines and no others (R23).
 */
import { Duration, type Effect, Option, Result, Schema, type Scope } from "effect"
import type { BreakerPolicy } from "../domain/Breaker.ts"
import { defaults } from "../domain/Defaults.ts"
import type { Failure } from "../domain/Failure.ts"
import { type DeclaredMessages, declareMessages, type MessageTypes } from "../domain/messages/MessageTypes.ts"
import { decodeJson, mismatch } from "../domain/Mismatch.ts"
import type { RestartPolicy } from "../domain/RestartBudget.ts"
import type { Mismatch, PhaseDeadlines, UnknownOutcome, WorkflowPolicy } from "../domain/WorkflowPolicy.ts"
import type { AgentContext } from "./AgentContext.ts"
import type { Gate } from "./Gate.ts"
import type { Lander } from "./Lander.ts"
import type { Runner } from "./Runner.ts"
import type { Workspaces } from "./Workspaces.ts"

/** What is left out keeps its default: 5 of the last 10 attempts within a minute, a probe after 30 seconds. */
export interface BreakerOptions {
  readonly failures?: number
  readonly attempts?: number
  readonly window?: Duration.Input
  readonly probe?: Duration.Input
}

/** What is left out keeps its default: 5 restarts within 10 minutes. */
export interface RestartOptions {
  readonly restarts?: number
  readonly window?: Duration.Input
}

/** What a workflow may say beside its schemas; everything has a default (rules.md, "Defaults, as numbers"). */
export interface Policies<R> {
  /** `none` by default: a name that a plugin contributes, or the plugin itself. */
  readonly workspace?: string | Workspaces<R>
  /** All must pass; none by default. */
  readonly gates?: ReadonlyArray<string | Gate<R>>
  /** `keep` by default. */
  readonly lander?: string | Lander<R>
  /** Retries after the first attempt, 0 or more; the code's own bound may be smaller (R3). */
  readonly maxRetries?: number
  readonly silence?: Duration.Input
  readonly silenceCap?: Duration.Input
  /** An agent that gives signs of life but makes no progress for so long is stalled (R35). Default: the silence cap. */
  readonly progressWindow?: Duration.Input
  /** An agent that waits for an answer fails with ORCH_INPUT_REQUIRED after so long (R35). Default 30 minutes. */
  readonly inputLimit?: Duration.Input
  /** When jobs wait because too many attempts fail: `failures` of the last `attempts` within `window`; a probe after `probe`. */
  readonly breaker?: BreakerOptions
  /** How often a job may be recovered without burning an attempt, as after the loss of its host (R2). */
  readonly restarts?: RestartOptions
  /**
   * What follows when an incarnation ends with a step started and not finished (`once`; R28): `ask` (default) parks the job until an
   * operator settles it, `rerun` lets the next incarnation do the step again, `fail` ends the job with ORCH_OUTCOME_UNKNOWN.
   */
  readonly unknownOutcome?: UnknownOutcome
  /** Deadlines by phase; a phase that is left out keeps its default, `work` has none. */
  readonly deadlines?: { readonly [Phase in keyof PhaseDeadlines]?: Duration.Input }
}

/** A workflow whose payload and result types are forgotten: what hosts and plugins pass around. */
export interface Any<R = never> {
  readonly name: string
  /** How it runs: a function in this process, or a runner by name or value. */
  readonly runs:
    | {
        readonly _tag: "Function"
        readonly run: (
          payload: never,
          agent: AgentContext
        ) => Effect.Effect<unknown, unknown, R | Scope.Scope>
      }
    | { readonly _tag: "Runner"; readonly runner: string | Runner<R> }
  readonly uses: {
    readonly workspace: string | Workspaces<R>
    readonly gates: ReadonlyArray<string | Gate<R>>
    readonly lander: string | Lander<R>
  }
  readonly policy: Omit<WorkflowPolicy, "workspace" | "gates" | "lander">
  /**
   * The raw result as JSON-safe data, held against the result schema: a function's value is encoded; what another runner brings
   * is data already and must decode.
   */
  readonly settleResult: (raw: unknown) => Result.Result<unknown, Mismatch>
  /** The messages that its agents understand; null: none is declared. */
  readonly messages: DeclaredMessages
}

export interface Workflow<in out Payload, in out Output, out R = never, out E = never> extends Any<R> {
  /** The payload as JSON-safe data, by the payload schema. */
  readonly encodePayload: (payload: Payload) => Result.Result<unknown, Mismatch>
  /** A stored result, JSON text, as the result schema decodes it. */
  readonly decodeResult: (json: string) => Result.Result<Output, Mismatch>
  /** One of the declared errors behind a stored failure; null when it is none of them. */
  readonly decodeError: (failure: Failure) => E | null
}

interface Schemas<Payload, Output, E> {
  /** Decoding and encoding must be synchronous and need no services (R1). */
  readonly payload: Schema.Codec<Payload, unknown>
  readonly result: Schema.Codec<Output, unknown>
  /** The tagged errors that callers of `result` get back as they were failed with; others reach them as `JobFailed`. None by default. */
  readonly errors?: Schema.Codec<E, unknown>
}

const parseDetail = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown))
)

const millis = (input: Duration.Input | undefined, otherwise: number): number =>
  input === undefined ? otherwise : Duration.toMillis(Duration.fromInputUnsafe(input))

const phase = (input: Duration.Input | undefined, otherwise: number | null): number | null =>
  input === undefined ? otherwise : Duration.toMillis(Duration.fromInputUnsafe(input))

const breakerOf = ({ attempts, failures, probe, window }: BreakerOptions): BreakerPolicy => ({
  failures: failures ?? defaults.breaker.failures,
  attempts: attempts ?? defaults.breaker.attempts,
  windowMillis: millis(window, defaults.breaker.windowMillis),
  probeMillis: millis(probe, defaults.breaker.probeMillis)
})

const restartsOf = ({ restarts, window }: RestartOptions): RestartPolicy => ({
  restarts: restarts ?? defaults.restartBudget.restarts,
  windowMillis: millis(window, defaults.restartBudget.windowMillis)
})

/** The fields that a failure kept of its error. */
const fieldsOf = ({ detail }: Failure): object => {
  const parsed = Option.getOrNull(parseDetail(detail))
  return parsed ?? {}
}

/** How it runs: a function of this process, or a runner. */
type Running<Payload, Output, R, Context> =
  | {
      readonly run: (payload: Payload, agent: Context) => Effect.Effect<Output, unknown, R | Scope.Scope>
    }
  | { readonly runner: string | Runner<R> }

interface Make {
  /**
   * The same, of agents that understand messages: by type, each a schema with its version. A function that declares none takes no messages;
   * a program with `stdin: lines` then takes any.
   */
  <Payload, Output, Types extends MessageTypes, R = never, E = never>(
    name: string,
    options: Schemas<Payload, Output, E> &
      Policies<R> & { readonly messages: Types } & Running<Payload, Output, R, AgentContext<Types>>
  ): Workflow<Payload, Output, Exclude<R, Scope.Scope>, E>
  <Payload, Output, R = never, E = never>(
    name: string,
    options: Schemas<Payload, Output, E> &
      Policies<R> & { readonly messages?: undefined } & Running<Payload, Output, R, AgentContext>
  ): Workflow<Payload, Output, Exclude<R, Scope.Scope>, E>
}

/**
 * Defines a workflow. `run` makes it a function of this process: typed payload in, typed result out, a tagged error whose tag is a code
 * to fail with that code. `runner` gives it to a runner instead.
 */
export const make: Make = <Payload, Output, R, E>(
  name: string,
  options: Schemas<Payload, Output, E> &
    Policies<R> & { readonly messages?: MessageTypes | undefined } & Running<Payload, Output, R, never>
): Workflow<Payload, Output, Exclude<R, Scope.Scope>, E> => {
  const payloadCodec = Schema.toCodecJson(options.payload)
  const resultCodec = Schema.toCodecJson(options.result)
  const decodePayload = Schema.decodeUnknownResult(payloadCodec)
  const encodePayload = Schema.encodeUnknownResult(payloadCodec)
  const decodeResult = Schema.decodeUnknownResult(resultCodec)
  const encodeResult = Schema.encodeUnknownResult(resultCodec)
  const deadlines = options.deadlines ?? {}
  const decodeError =
    options.errors === undefined
      ? () => null
      : (
          (decode) => (failure: Failure) =>
            Option.getOrNull(decode({ message: failure.message, ...fieldsOf(failure), _tag: failure.code }))
        )(Schema.decodeUnknownOption(options.errors))
  return {
    name,
    // The schemas decode what reaches `run`, so a payload, or a message, of another type never does.
    runs: ("run" in options
      ? { _tag: "Function", run: options.run }
      : { _tag: "Runner", runner: options.runner }) as Any<Exclude<R, Scope.Scope>>["runs"],
    // Scope is given by the fleet to every call of a plugin, so it is no requirement of the workflow.
    uses: {
      workspace: options.workspace ?? "none",
      gates: options.gates ?? [],
      lander: options.lander ?? "keep"
    } as Any<Exclude<R, Scope.Scope>>["uses"],
    policy: {
      name,
      maxRetries: options.maxRetries ?? defaults.maxRetries,
      silenceMillis: millis(options.silence, defaults.silenceMillis),
      silenceCapMillis: millis(options.silenceCap, defaults.silenceCapMillis),
      progressMillis: millis(options.progressWindow, millis(options.silenceCap, defaults.silenceCapMillis)),
      inputMillis: millis(options.inputLimit, defaults.inputMillis),
      breaker: breakerOf(options.breaker ?? {}),
      deadlines: {
        prepare: phase(deadlines.prepare, defaults.phaseMillis.prepare),
        sentinel: phase(deadlines.sentinel, defaults.phaseMillis.sentinel),
        work: phase(deadlines.work, null),
        verify: phase(deadlines.verify, defaults.phaseMillis.verify),
        land: phase(deadlines.land, defaults.phaseMillis.land),
        clean: phase(deadlines.clean, defaults.phaseMillis.clean)
      },
      restarts: restartsOf(options.restarts ?? {}),
      unknownOutcome: options.unknownOutcome ?? "ask",
      decodePayload: (json) => decodeJson(json, (value) => Result.mapError(decodePayload(value), mismatch))
    },
    encodePayload: (payload) => Result.mapError(encodePayload(payload), mismatch),
    settleResult: (raw) =>
      Result.mapError(
        "run" in options ? encodeResult(raw) : Result.flatMap(decodeResult(raw), encodeResult),
        mismatch
      ),
    messages: declareMessages(options.messages),
    decodeError,
    decodeResult: (json) => decodeJson(json, (value) => Result.mapError(decodeResult(value), mismatch))
  }
}
