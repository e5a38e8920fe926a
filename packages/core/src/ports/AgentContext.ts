/**
 * What a function that works as an agent gets beside its payload: who it is, and ways to show that it lives.
 */
import type { Duration, Effect, Schema, Stream } from "effect"
import type { MarkerInvalid } from "../domain/errors/ContractErrors.ts"
import type { MarkerScope } from "../domain/Marker.ts"
import type { MessageDraft } from "../domain/messages/Chain.ts"
import type { Envelope } from "../domain/messages/Envelope.ts"
import type { MessageTypes, Received } from "../domain/messages/MessageTypes.ts"
import type { Delivery } from "../domain/messages/Undeliverable.ts"
import type { AskFailed, MessageRefused } from "./Mail.ts"
import type { Assignment } from "./Runner.ts"

export interface OnceOptions<A, E> {
  /**
   * `job` (default): done once for the job, whatever happens to its attempts. `attempt`: done once in each attempt, for steps that think: a
   * rejected answer must not come back. Such a step may be done again unasked, so its outcome is never in question.
   */
  readonly scope?: MarkerScope
  /** How the result is kept as JSON and read back; left out, it is JSON data itself and comes back as JSON keeps it. */
  readonly result?: Schema.Codec<A, unknown>
  /** Whether a failure proves that nothing was done, so that the step may be begun again. Left out: none does. */
  readonly isNotDone?: (error: E) => boolean
}

/** What a message says beside whom it is for. */
export type Said = Omit<MessageDraft, "to">

export interface AskOptions<A> {
  /** How long an answer is waited for; the agent asks for as long before silence is assumed. */
  readonly deadline: Duration.Input
  /** What the answer's payload must be; left out, it is JSON data as it came. */
  readonly reply?: Schema.Codec<A, unknown>
}

/** `Types`: the messages that its workflow declares. */
export interface AgentContext<Types extends MessageTypes = MessageTypes> {
  readonly assignment: Assignment
  /** Says what the agent is doing; life and progress. `fraction` from 0 to 1. */
  readonly progress: (message: string, fraction?: number) => Effect.Effect<void>
  /** A line for the agent's log; life. */
  readonly log: (line: string) => Effect.Effect<void>
  /** Asks for `millis` more before silence is assumed; granted up to the workflow's cap. */
  readonly extend: (millis: number) => Effect.Effect<void>
  /** Reports tokens and cost (US dollars). */
  readonly usage: (usage: {
    readonly inputTokens?: number
    readonly outputTokens?: number
    readonly cost?: number
  }) => Effect.Effect<void>
  /**
   * Wraps an external write (R28): its start is durable before it runs and its result after, and a later incarnation gets the result
   * back instead of writing again. Started and not finished is unknown, and follows the workflow's `unknownOutcome`. The step may be a
   * function of its own idempotency key: the job's, and the name. Fails with CONTRACT_MARKER_INVALID where name or result can't be kept.
   */
  readonly once: <A, E, R>(
    name: string,
    step: Effect.Effect<A, E, R> | ((key: string) => Effect.Effect<A, E, R>),
    options?: OnceOptions<A, E>
  ) => Effect.Effect<A, E | MarkerInvalid, R>
  /**
   * The messages to this agent: only where its workflow declares `messages`; else whoever sends one is told that it isn't listening.
   * What is unread when the agent ends is undeliverable, and listed.
   */
  readonly inbox: {
    /** The next message, larger priority first; waits for one. Taking is a sign of life, waiting is none. */
    readonly take: Effect.Effect<Received<Types>>
    /** One after the other, without an end. */
    readonly messages: Stream.Stream<Received<Types>>
  }
  /**
   * Sends a message to another agent, `agent:<job id>` or the job's id, and answers what became of it: accepted, full or dead with its
   * reason. Never waits for that agent. Fails where the message breaks the contract, and names the place.
   */
  readonly tell: (to: string, message: Said) => Effect.Effect<Delivery, MessageRefused>
  /** Sends a message and waits for its answer, until a deadline: then ORCH_RETRYABLE_ASK_TIMEOUT, and the answer is too late. */
  readonly ask: <A = unknown>(
    to: string,
    message: Said,
    options: AskOptions<A>
  ) => Effect.Effect<Envelope<A>, AskFailed>
  /** Answers a message, in its chain. Its type is the message's with `.reply` where nothing else is said. */
  readonly reply: (
    to: Pick<Envelope, "messageId" | "correlationId" | "producerAgent" | "messageType">,
    message: Partial<Said>
  ) => Effect.Effect<Delivery, MessageRefused>
}
