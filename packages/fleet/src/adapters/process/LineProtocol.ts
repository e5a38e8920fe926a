/**
 * What a line of a process's standard output says: one JSON object with a known `type` is a message (R32), everything else is a
 * plain line. A known type with unusable members is a plain line too: output is hostile, and a typo must not kill an agent.
 */

import type { MarkerScope, MessageDraft } from "@muster/core"

export type Message =
  /** `{"type":"result","result":…}`; the last one wins. */
  | { readonly _tag: "Result"; readonly value: unknown }
  /** `{"type":"error","code":"EXT_…","message":"…","retry_after_seconds":30}`; `code` is not checked here. */
  | {
      readonly _tag: "Error"
      readonly code: string
      readonly message: string
      readonly retryAfterMillis: number | null
    }
  /** `{"type":"progress","message":"…","fraction":0.5}`: at least one of the two. */
  | { readonly _tag: "Progress"; readonly message: string; readonly fraction: number | null }
  /** `{"type":"usage","input_tokens":1,"output_tokens":2,"cost":0.01}`: at least one of them; `cost` in US dollars. */
  | {
      readonly _tag: "Usage"
      readonly inputTokens: number | null
      readonly outputTokens: number | null
      readonly cost: number | null
    }
  /** `{"type":"extend","seconds":600}` */
  | { readonly _tag: "Extend"; readonly millis: number }
  /**
   * `{"type":"marker","name":"…","state":"started"}`, `finished` with a `result`, or `cleared` for a step that is known not to have been
   * done; `"scope":"attempt"` for a step of this attempt alone.
   */
  | {
      readonly _tag: "Marker"
      readonly name: string
      readonly state: "started" | "finished" | "cleared"
      readonly scope: MarkerScope
      /** Of a finished step; null where it has none. */
      readonly result: unknown
    }
  /**
   * `{"type":"message","to":"agent:…","message_type":"…","payload":…}`: a message to another agent, under the contract's names; `to` may be
   * called `consumer_agent`. Its envelope is held to the contract where it is sent.
   */
  | { readonly _tag: "Message"; readonly draft: MessageDraft }
  /** `{"type":"needs_input","question":"…"}` */
  | { readonly _tag: "NeedsInput"; readonly question: string }

type Members = Readonly<Record<string, unknown>>

const text = (value: unknown): string | null => (typeof value === "string" ? value : null)

const amount = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null

const fractionOf = (value: unknown): number | null => {
  const number = amount(value)
  return number !== null && number <= 1 ? number : null
}

const seconds = (value: unknown): number | null => {
  const number = amount(value)
  return number === null ? null : Math.round(number * 1_000)
}

const isBad = (value: unknown, read: unknown): boolean =>
  value !== undefined && value !== null && read === null

const error = (members: Members): Message | null => {
  const code = text(members["code"])
  const retryAfter = seconds(members["retry_after_seconds"])
  if (code === null || isBad(members["retry_after_seconds"], retryAfter)) return null
  return { _tag: "Error", code, message: text(members["message"]) ?? "", retryAfterMillis: retryAfter }
}

const progress = (members: Members): Message | null => {
  const message = text(members["message"])
  const fraction = fractionOf(members["fraction"])
  if (message === null && fraction === null) return null
  return isBad(members["fraction"], fraction) ? null : { _tag: "Progress", message: message ?? "", fraction }
}

const usage = (members: Members): Message | null => {
  const inputTokens = amount(members["input_tokens"])
  const outputTokens = amount(members["output_tokens"])
  const cost = amount(members["cost"])
  if (inputTokens === null && outputTokens === null && cost === null) return null
  return { _tag: "Usage", inputTokens, outputTokens, cost }
}

const extend = (members: Members): Message | null => {
  const millis = seconds(members["seconds"])
  return millis === null ? null : { _tag: "Extend", millis }
}

const needsInput = (members: Members): Message | null => {
  const question = text(members["question"])
  return question === null ? null : { _tag: "NeedsInput", question }
}

const marker = (members: Members): Message | null => {
  const { name, result, scope = "job", state } = members
  if (typeof name !== "string" || (scope !== "job" && scope !== "attempt")) return null
  if (state !== "started" && state !== "finished" && state !== "cleared") return null
  return { _tag: "Marker", name, state, scope, result: state === "finished" ? (result ?? null) : null }
}

/** What it doesn't say is left out; what it says is checked by whoever composes the envelope. */
const message = (members: Members): Message | null => {
  const said = {
    to: members["to"] ?? members["consumer_agent"],
    messageType: members["message_type"],
    schemaVersion: members["schema_version"],
    payload: members["payload"],
    messageId: members["message_id"],
    correlationId: members["correlation_id"],
    causationId: members["causation_id"],
    traceContext: members["trace_context"],
    priority: members["priority"],
    idempotencyKey: members["idempotency_key"]
  }
  // Hostile still: `compose` decodes every field before anybody reads it.
  return { _tag: "Message", draft: said as MessageDraft }
}

const readers: Readonly<Record<string, (members: Members) => Message | null>> = {
  result: (members) =>
    Object.hasOwn(members, "result") ? { _tag: "Result", value: members["result"] } : null,
  error,
  progress,
  usage,
  extend,
  marker,
  message,
  needs_input: needsInput
}

const isMembers = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A cheap look before parsing, which a flood of other JSON needs. */
const mayBeMessage = new RegExp(`"type"\\s*:\\s*"(${Object.keys(readers).join("|")})"`)

/** The message that a line carries, or null for a plain line. */
export const parse = (line: string): Message | null => {
  if (!mayBeMessage.test(line)) return null
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return null
  }
  if (!isMembers(value)) return null
  const type = text(value["type"])
  if (type === null || !Object.hasOwn(readers, type)) return null
  return readers[type]?.(value) ?? null
}

const messageStart = new RegExp(String.raw`^\s*\{\s*"type"\s*:\s*"(${Object.keys(readers).join("|")})"`)

/** Whether a plain line begins as a message does and is no JSON: its writer has surely meant one. */
export const isBroken = (line: string): boolean => {
  if (!messageStart.test(line)) return false
  try {
    JSON.parse(line)
    return false
  } catch {
    return true
  }
}

/** Whether a line that was too long to be kept whole began as a result. */
export const isResultStart = (start: string): boolean => /^\s*\{\s*"type"\s*:\s*"result"/.test(start)

/** Whether a line that was too long to be kept whole began as a message to another agent. */
export const isMessageStart = (start: string): boolean => /^\s*\{\s*"type"\s*:\s*"message"/.test(start)
