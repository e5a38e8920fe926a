/**
 * Every way that a command can fail, as one clear line with what to do about it, and as an exit code (docs/exit-codes.md).
 */
import { ErrorCatalogue, exit, isCode } from "@muster/core"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { FailureJson } from "../json/FailureJson.ts"

const textOf = (error: unknown, key: string): string | null => {
  const value: unknown = Predicate.hasProperty(error, key) ? error[key] : null
  return typeof value === "string" && value !== "" ? value : null
}

/** What a failure with a code of the catalogue says. */
const coded = Effect.fnUntraced(function* (code: string, error: unknown) {
  const { policy } = (yield* ErrorCatalogue.compile()).lookup(code)
  const report: FailureJson = {
    code,
    message: textOf(error, "message") ?? code,
    hint: policy.hint,
    exit_code: policy.exitCode
  }
  return report
})

const spaced = (name: string): string => name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase()

/** `jobs.jsonl: permission denied`, as far as the error says so. */
const fileMessage = (error: unknown): string => {
  const reason = Predicate.hasProperty(error, "reason") ? error.reason : null
  const tag = textOf(reason, "_tag")
  const path = textOf(reason, "pathOrDescriptor")
  if (tag === null) return textOf(error, "message") ?? "A file can't be read or written."
  return `${path === null ? "A file" : path}: ${spaced(tag)}.`
}

/** The report on a failure; a defect is a bug of ours and says so. */
export const failureReport = Effect.fnUntraced(function* (cause: Cause.Cause<unknown>) {
  const error = Cause.squash(cause)
  const tag = textOf(error, "_tag")
  if (Cause.hasFails(cause) && tag !== null) {
    if (isCode(tag)) return yield* Effect.orDie(coded(tag, error))
    if (tag === "PlatformError") {
      const report: FailureJson = {
        code: "io",
        message: fileMessage(error),
        hint: "Look at the path and its permissions.",
        exit_code: exit.io
      }
      return report
    }
  }
  const report: FailureJson = {
    code: "unexpected",
    message: textOf(error, "message") ?? String(error),
    hint: "This is a bug of Muster or of a plugin: please report it with the lines below.",
    exit_code: exit.unexpected
  }
  return report
})
