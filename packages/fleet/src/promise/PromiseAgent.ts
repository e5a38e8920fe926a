/**
 * The agent's context for async functions: the same as for effects, with promises and an AbortSignal. A Promise facade: the steps that a
 * function takes are run here.
 */
import type {
  AgentContext,
  AskOptions,
  Assignment,
  Delivery,
  Envelope,
  MarkerScope,
  Said
} from "@muster/core"
import { Effect, type Schema } from "effect"
import { runnerWith } from "./Rejections.ts"

export interface PromiseOnceOptions<A> {
  /** `job` (default): done once for the job. `attempt`: done once in each attempt, for steps that think. */
  readonly scope?: MarkerScope
  /** How the result is kept as JSON and read back; left out, it is JSON data itself and comes back as JSON keeps it. */
  readonly result?: Schema.Codec<A, unknown>
  /** Whether a failure proves that nothing was done, so that the step may be begun again. Left out: none does. */
  readonly isNotDone?: (error: unknown) => boolean
}

/** What an async function that works as an agent gets beside its payload. */
export interface PromiseAgent {
  readonly assignment: Assignment
  /**
   * Aborted when the work is to stop: a cancel, a deadline, silence, the fleet's end. The slot is held until the function has ended; one that
   * doesn't listen is hung after a while, and its result is not taken.
   */
  readonly signal: AbortSignal
  /** Says what the agent is doing; life and progress. `fraction` from 0 to 1. */
  readonly progress: (message: string, fraction?: number) => Promise<void>
  /** A line for the agent's log; life. */
  readonly log: (line: string) => Promise<void>
  /** Asks for `millis` more before silence is assumed; granted up to the workflow's cap. */
  readonly extend: (millis: number) => Promise<void>
  /** Reports tokens and cost (US dollars). */
  readonly usage: (usage: Parameters<AgentContext["usage"]>[0]) => Promise<void>
  /**
   * Wraps an external write (R28): its start is durable before it runs and its result after, and a later life of the agent gets the result
   * back instead of writing again. `key` is the step's own idempotency key. Rejects with CONTRACT_MARKER_INVALID where name or result can't be
   * kept.
   */
  readonly once: <A>(
    name: string,
    step: (key: string, signal: AbortSignal) => Promise<A> | A,
    options?: PromiseOnceOptions<A>
  ) => Promise<A>
  /** The next message to this agent; waits for one. Only where its workflow declares `messages`. */
  readonly receive: () => Promise<Envelope>
  /** Sends a message to another agent, by its job's id, and answers what became of it. Never waits for that agent. */
  readonly tell: (to: string, message: Said) => Promise<Delivery>
  /** Sends a message and waits for its answer, until a deadline: then it rejects with ORCH_RETRYABLE_ASK_TIMEOUT. */
  readonly ask: <A = unknown>(to: string, message: Said, options: AskOptions<A>) => Promise<Envelope<A>>
  /** Answers a message, in its chain. */
  readonly reply: (to: Envelope, message: Partial<Said>) => Promise<Delivery>
}

/** An async call as an effect. Interrupted, it aborts the signal and returns when the call has ended. */
const called = <A>(call: (signal: AbortSignal) => Promise<A> | A): Effect.Effect<A, unknown> =>
  Effect.callback<A, unknown>((resume) => {
    const controller = new AbortController()
    const ended = (async () => await call(controller.signal))()
    ended.then(
      (value) => resume(Effect.succeed(value)),
      (error: unknown) => resume(Effect.fail(error))
    )
    return Effect.promise(() => {
      controller.abort()
      return ended.then(
        () => undefined,
        () => undefined
      )
    })
  })

/** Runs an async function as the work of an agent. What it rejects with is what the attempt fails with. */
export const work = <Payload, Output>(
  run: (payload: Payload, agent: PromiseAgent) => Promise<Output> | Output,
  payload: Payload,
  agent: AgentContext
): Effect.Effect<Output, unknown> =>
  Effect.flatMap(Effect.context(), (context) => {
    const promised = runnerWith(context)
    return called((signal) =>
      run(payload, {
        assignment: agent.assignment,
        signal,
        progress: (message, fraction) => promised(agent.progress(message, fraction)),
        log: (line) => promised(agent.log(line)),
        extend: (millis) => promised(agent.extend(millis)),
        usage: (usage) => promised(agent.usage(usage)),
        once: (name, step, options) =>
          promised(
            agent.once(name, (key) => called((stop) => step(key, stop)), options),
            signal
          ),
        receive: () => promised(agent.inbox.take, signal),
        tell: (to, message) => promised(agent.tell(to, message), signal),
        ask: (to, message, options) => promised(agent.ask(to, message, options), signal),
        reply: (to, message) => promised(agent.reply(to, message), signal)
      })
    )
  })
