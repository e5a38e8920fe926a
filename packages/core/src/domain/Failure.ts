/**
 * What is kept of a failed attempt: bounded text, whatever was thrown. A tagged error whose tag is a code says what should
 * follow; a bare exception is no contract and becomes ORCH_RETRYABLE_AGENT_CRASHED with its cause kept.
 */
import { Cause, Duration, Option, Predicate, Result, Schema } from "effect"
import { encodeJson, truncate } from "./BoundedText.ts"
import { Code, isCode } from "./Code.ts"
import { limits } from "./Defaults.ts"
import { PayloadTypeMismatch } from "./errors/ContractErrors.ts"
import type { Mismatch } from "./WorkflowPolicy.ts"

export const Failure = Schema.Struct({
  code: Code,
  /** What happened, for people; at most 1 KiB. */
  message: Schema.String,
  /** The error's own fields as JSON text; null where it has none. Bounded. */
  detail: Schema.NullOr(Schema.String),
  /** How long the outside asked to wait, in milliseconds; null for no hint. */
  retryAfterMillis: Schema.NullOr(Schema.Finite),
  /** The chain of causes, one a line, the nearest first; null where there is none. Bounded. */
  cause: Schema.NullOr(Schema.String)
})
export type Failure = typeof Failure.Type

/** A crash for which nobody gave a code. */
export const crashCode = "ORCH_RETRYABLE_AGENT_CRASHED"

/** Deeper causes are left out. */
const causeDepth = 8

/** A property of a value that may be anything: a getter or a proxy that throws is as good as absent. */
const read = (value: unknown, key: string): unknown => {
  if (!Predicate.isObjectKeyword(value)) return undefined
  try {
    return Reflect.get(value, key)
  } catch {
    return undefined
  }
}

const readText = (value: unknown, key: string): string | null => {
  const found = read(value, key)
  return typeof found === "string" && found !== "" ? found : null
}

/** Any value in a few words. */
const brief = (value: unknown): string => {
  if (typeof value === "string") return value
  if (!Predicate.isObjectKeyword(value)) return String(value)
  const name = readText(value, "_tag") ?? readText(value, "name")
  const message = readText(value, "message")
  if (message !== null) return name === null || name === message ? message : `${name}: ${message}`
  const json = encodeJson(value, limits.reasonBytes)
  if (Result.isSuccess(json) && json.success !== "{}")
    return name === null ? json.success : `${name} ${json.success}`
  return name ?? "a value that can't be shown"
}

const causes = (error: unknown): ReadonlyArray<string> => {
  const seen = new Set<unknown>([error])
  const lines: Array<string> = []
  for (
    let cause = read(error, "cause");
    cause !== undefined && cause !== null;
    cause = read(cause, "cause")
  ) {
    if (seen.has(cause) || lines.length === causeDepth) return [...lines, "…"]
    seen.add(cause)
    lines.push(truncate(brief(cause), limits.reasonBytes))
  }
  return lines
}

/** A number of an HTTP Retry-After is seconds; Effect's durations and their texts say their unit themselves. */
const duration = (value: unknown): number | null => {
  if (typeof value === "number") return value * 1_000
  if (typeof value !== "string" && !Duration.isDuration(value)) return null
  // a text that is no duration is no hint; its type can't be told from a string's
  const parsed = Duration.fromInput(value as Duration.Input)
  return Option.isSome(parsed) ? Duration.toMillis(parsed.value) : null
}

const retryAfter = (error: unknown): number | null => {
  try {
    const millis = read(error, "retryAfterMillis")
    const asked = typeof millis === "number" ? millis : duration(read(error, "retryAfter"))
    return asked === null || Number.isNaN(asked)
      ? null
      : Math.min(Math.max(0, Math.ceil(asked)), limits.retryAfterMillis)
  } catch {
    return null
  }
}

/** Kept in fields of their own, or of no use to a reader. */
const notDetail = new Set(["_tag", "name", "message", "stack", "cause", "retryAfter", "retryAfterMillis"])

const detail = (error: unknown): string | null => {
  if (!Predicate.isObjectKeyword(error)) return null
  try {
    const fields: Record<string, unknown> = {}
    for (const key of Object.keys(error).slice(0, 100))
      if (!notDetail.has(key)) fields[key] = read(error, key)
    if (Object.keys(fields).length === 0) return null
    const text = encodeJson(fields, limits.detailBytes)
    return Result.isSuccess(text) ? text.success : JSON.stringify({ left_out: text.failure.detail })
  } catch {
    return null
  }
}

/** The code that an error stands for; null for one that is no contract. A failed job passes its own on. */
const codeOf = (error: unknown): Code | null => {
  const tag = readText(error, "_tag")
  const code = tag === "JobFailed" ? readText(error, "code") : tag
  return code !== null && isCode(code) ? code : null
}

const joined = (lines: ReadonlyArray<string>): string | null =>
  lines.length === 0 ? null : truncate(lines.join("\n"), limits.detailBytes)

/** A crash has no hint: it would hold the job without burning an attempt, on nobody's word. */
const crash = (error: unknown): Failure => {
  const message = truncate(brief(error), limits.reasonBytes)
  return {
    code: crashCode,
    message,
    detail: detail(error),
    retryAfterMillis: null,
    cause: joined([message, ...causes(error)])
  }
}

/** What is kept of anything that was thrown or failed with. Never throws, whatever the value is. */
export const fromError = (error: unknown): Failure => {
  const code = codeOf(error)
  if (code === null) return crash(error)
  return {
    code,
    message: truncate(readText(error, "message") ?? code, limits.reasonBytes),
    detail: detail(error),
    retryAfterMillis: retryAfter(error),
    cause: joined(causes(error))
  }
}

/**
 * What is kept of a Cause: its first failure, else its first defect, which is a crash even when it is a tagged error, since
 * nobody promised it. Null when it holds interruptions only: an interruption is never a failure.
 */
export const fromCause = (cause: Cause.Cause<unknown>): Failure | null => {
  const failed = cause.reasons.find(Cause.isFailReason)
  if (failed !== undefined) return fromError(failed.error)
  const died = cause.reasons.find(Cause.isDieReason)
  return died === undefined ? null : crash(died.defect)
}

/** What is kept of a payload, or a result, that doesn't decode by its workflow's schema. */
export const fromMismatch = (
  workflowType: string,
  mismatch: Mismatch,
  subject: "payload" | "result" = "payload"
): Failure =>
  fromError(new PayloadTypeMismatch({ workflowType, subject, path: mismatch.path, detail: mismatch.detail }))
