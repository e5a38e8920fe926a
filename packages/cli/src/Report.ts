/**
 * How the command says that something went wrong, on standard error. Needs nothing of the runtime, so that a wrong command line is
 * answered at once.
 */
import * as Console from "effect/Console"
import type * as Effect from "effect/Effect"
import type { FailureJson } from "./json/FailureJson.ts"
import { oneLine } from "./output/Text.ts"

/** Usage errors end with this (core's table of exit codes, which a test compares). */
export const usageExitCode = 2

/** What can't be read or written ends with this (likewise). */
export const ioExitCode = 74

/** One failure, for people or, with `json`, as one document. */
export const failureText = (failure: FailureJson, json: boolean): string => {
  if (json) return JSON.stringify(failure)
  const isCode = /^[A-Z]/.test(failure.code)
  const head = `muster: ${isCode ? `${failure.code}: ` : ""}${oneLine(failure.message)}`
  // most messages of codes end with what to do
  const isAdvised = isCode && /[.!?] \S/.test(failure.message)
  return failure.hint === "" || isAdvised ? head : `${head}\n  ${oneLine(failure.hint)}`
}

export const report = (failure: FailureJson, json: boolean): Effect.Effect<void> =>
  Console.error(failureText(failure, json))

/** @param hint what to type instead */
export const reportUsage = (message: string, hint: string, json: boolean): Effect.Effect<void> =>
  report({ code: "usage", message, hint, exit_code: usageExitCode }, json)
