/**
 * Workflows whose agents are async functions.
 */
import { type AgentContext, type MessageTypes, Workflow } from "@muster/core"
import { Schema } from "effect"
import { type PromiseAgent, work } from "./PromiseAgent.ts"

export interface PromiseWorkflowOptions<Payload, Output, E> extends Workflow.Policies<never> {
  /** What a payload must be. Left out: any JSON data, and its type is the author's word. */
  readonly payload?: Schema.Codec<Payload, unknown>
  /** What a result must be. Left out: any JSON data. */
  readonly result?: Schema.Codec<Output, unknown>
  /** The tagged errors that callers of `result` get back as they were thrown. */
  readonly errors?: Schema.Codec<E, unknown>
  /** The messages that its agents understand, by type. Left out, they take none. */
  readonly messages?: MessageTypes
  /**
   * Works on one job. A thrown error whose `_tag` is a code fails the attempt with that code; any other counts as a crash
   * (`ORCH_RETRYABLE_AGENT_CRASHED`).
   */
  readonly run: (payload: Payload, agent: PromiseAgent) => Promise<Output> | Output
}

/** Defines a workflow by an async function. */
export const workflow = <Payload, Output, E = never>(
  name: string,
  options: PromiseWorkflowOptions<Payload, Output, E>
): Workflow.Workflow<Payload, Output, never, E> => {
  const { messages, payload, result, run, ...others } = options
  const whole = {
    ...others,
    // without a schema the type is the author's word, as the options say
    payload: payload ?? (Schema.Unknown as unknown as Schema.Codec<Payload, unknown>),
    // as above
    result: result ?? (Schema.Unknown as unknown as Schema.Codec<Output, unknown>),
    run: (given: Payload, agent: AgentContext) => work(run, given, agent)
  }
  return messages === undefined
    ? Workflow.make<Payload, Output, never, E>(name, whole)
    : Workflow.make<Payload, Output, MessageTypes, never, E>(name, { ...whole, messages })
}
