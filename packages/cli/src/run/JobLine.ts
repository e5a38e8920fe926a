/**
 * One line of a file of jobs: a payload, or a submission (JobDocument.ts). Pure; what is wrong with a line comes back as a sentence.
 */
import { stripVTControlCharacters } from "node:util"
import { BoundedText, canonicalJson, decodeSubmission, limits, type Submission } from "@muster/core"
import { Result } from "effect"
import { submissionOf } from "../JobDocument.ts"
import { fit, oneLine } from "../output/Text.ts"

export interface JobLine {
  readonly _tag: "Job"
  /** From 1. */
  readonly line: number
  readonly submission: Submission
}

export interface BadLine {
  readonly _tag: "Bad"
  /** From 1. */
  readonly line: number
  /** One sentence without its stop, fit for a terminal. */
  readonly reason: string
}

/** A longer line is refused without being kept: twice the largest payload leaves room for white space and the other fields. */
export const lineLimitBytes = 2 * limits.payloadBytes

const reasonColumns = 300

export const badLine = (line: number, reason: string): BadLine => ({
  _tag: "Bad",
  line,
  reason: fit(oneLine(stripVTControlCharacters(reason)), reasonColumns)
})

const strings = /"(?:[^"\\]|\\.)*"/g
const integers = /(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g

/** An integer that JSON.parse would silently change into another one, as many ids of other systems are; undefined for none. */
const inexactInteger = (text: string): string | undefined =>
  /\d{16}/.test(text)
    ? text
        .replace(strings, '""')
        .match(integers)
        ?.find((digits) => BigInt(digits) !== BigInt(Number(digits)))
    : undefined

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const isUtf16 = (bytes: Uint8Array): boolean =>
  (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)

/** The text of a line, without the mark that some editors put before the first one. */
const textOf = (bytes: Uint8Array, line: number): Result.Result<string, string> => {
  if (line === 1 && isUtf16(bytes)) return Result.fail("the file is UTF-16; write it as UTF-8")
  const isMarked = line === 1 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  if (bytes.includes(0)) return Result.fail("it holds a NUL byte, which JSON doesn't")
  return Result.try({
    try: () => decoder.decode(isMarked ? bytes.subarray(3) : bytes),
    catch: () => "it is not UTF-8"
  })
}

/** JSON as data, no number of which has changed on the way; else why not, in a sentence without its stop. */
export const parsed = (text: string): Result.Result<unknown, string> => {
  const digits = inexactInteger(text)
  if (digits !== undefined) {
    return Result.fail(`the number ${digits} is larger than JSON numbers are exact; write it in quotes`)
  }
  return Result.try({
    try: (): unknown => JSON.parse(text),
    catch: (error) => `it is not JSON: ${error instanceof Error ? error.message : String(error)}`
  })
}

const payloadProblem = (payload: unknown): string | undefined => {
  const canonical = canonicalJson(payload)
  if (Result.isFailure(canonical)) {
    const { detail, path } = canonical.failure
    return `its payload can't be stored${path === "" ? "" : `, see ${path}`}: ${detail}`
  }
  const json = BoundedText.encodeJson(payload, limits.payloadBytes)
  return Result.isFailure(json) ? `its payload can't be stored: ${json.failure.detail}` : undefined
}

const read = (value: unknown, workflowType: string | null): Result.Result<Submission, string> => {
  const document = submissionOf(value)
  const named = { ...document, workflow_type: document.workflow_type ?? workflowType }
  if (named.workflow_type === null || named.workflow_type === undefined) {
    return Result.fail(
      "it names no workflow_type, and there are several: add one (muster config check names them), or say --workflow"
    )
  }
  const decoded = decodeSubmission(named)
  if (Result.isFailure(decoded)) {
    const { detail, path } = decoded.failure
    return Result.fail(`${path === "" ? "it" : path} doesn't fit a submission: ${detail}`)
  }
  const problem = payloadProblem(decoded.success.payload)
  return problem === undefined ? Result.succeed(decoded.success) : Result.fail(problem)
}

/**
 * What a line says; null for a blank one. `bytes` is the line without its line feed, `workflowType` the workflow of lines that name none, null where they must.
 */
export const parse = (
  bytes: Uint8Array,
  line: number,
  workflowType: string | null
): JobLine | BadLine | null => {
  const submission = Result.flatMap(textOf(bytes, line), (text) =>
    text.trim() === ""
      ? Result.succeed(null)
      : Result.flatMap(parsed(text), (value) => read(value, workflowType))
  )
  if (Result.isFailure(submission)) return badLine(line, submission.failure)
  return submission.success === null ? null : { _tag: "Job", line, submission: submission.success }
}
