/**
 * A value that doesn't fit its schema, as one place and one sentence.
 */
import { Result, type Schema, SchemaIssue } from "effect"
import type { Mismatch } from "./WorkflowPolicy.ts"

const format = SchemaIssue.makeFormatterStandardSchemaV1()

const pathText = (path: ReadonlyArray<unknown>): string =>
  path.map((key) => `[${typeof key === "number" ? key : JSON.stringify(String(key))}]`).join("")

/** The first issue of a schema error: `["hosts"][0]["name"]` and what was expected there. */
export const mismatch = (error: Schema.SchemaError): Mismatch => {
  const first = format(error.issue).issues[0]
  return {
    path: pathText((first?.path ?? []).map((key) => (typeof key === "object" ? key.key : key))),
    detail: first?.message ?? error.message
  }
}

/** Parses JSON text and hands the value on; text that is no JSON is a mismatch of the whole. */
export const decodeJson = <A>(
  json: string,
  decode: (value: unknown) => Result.Result<A, Mismatch>
): Result.Result<A, Mismatch> =>
  Result.flatMap(
    Result.try({
      try: (): unknown => JSON.parse(json),
      catch: (cause): Mismatch => ({ path: "", detail: `not JSON: ${String(cause)}` })
    }),
    decode
  )
