/**
 * What the end of a process means (R32): an error line beats the exit, the exit beats a result line, and the numbers are those of
 * sysexits. What no rule names is EXT_PROCESS_FAILED.
 */
import {
  AgentCrashed,
  type Assignment,
  BoundedText,
  CommandData,
  CommandNotFound,
  CommandUnavailable,
  CommandUsage,
  EmptyResult,
  isCode,
  limits,
  ProcessFailed,
  ResultTooLarge
} from "@muster/core"
import { Data, Effect } from "effect"
import type { Report } from "./OutputReader.ts"
import type { Ended, StartFailed } from "./ProcessGroup.ts"

/** What the agent itself reported in an error line: its tag is the agent's own code. */
class ReportedError extends Data.Error<{
  readonly _tag: string
  readonly message: string
  /** Null where the agent gave no hint. */
  readonly retryAfterMillis: number | null
}> {}

export interface Process {
  readonly assignment: Assignment
  /** The program's name, without its arguments. */
  readonly command: string
  readonly requireResult: boolean
}

const because = (detail: string): string => (detail === "" ? "" : `: ${detail}`)

const crashed = ({ assignment, command }: Process, how: string, detail: string) =>
  new AgentCrashed({
    jobId: assignment.jobId,
    detail: BoundedText.truncate(`the program "${command}" ${how}${because(detail)}`, limits.reasonBytes)
  })

const exitError = (process: Process, { code, signal }: Ended, detail: string) => {
  const fields = { command: process.command, exitCode: code, detail }
  if (signal !== null) return crashed(process, `was ended by ${signal}`, detail)
  switch (code) {
    case 64:
    case 78:
      return new CommandUsage(fields)
    case 65:
      return new CommandData(fields)
    case 69:
    case 75:
      return new CommandUnavailable(fields)
    case 70:
      return crashed(process, "says that it broke (exit 70)", detail)
    case 127:
      return new CommandNotFound(fields)
    default:
      return new ProcessFailed({ ...fields, signal: null })
  }
}

const reportedError = (process: Process, ended: Ended, error: NonNullable<Report["error"]>) => {
  const { code, message, retryAfterMillis } = error
  if (isCode(code)) return new ReportedError({ _tag: code, message: message || code, retryAfterMillis })
  const note = `it reported an error whose code is none, ${JSON.stringify(BoundedText.truncate(code, 64))}`
  return new ProcessFailed({
    command: process.command,
    exitCode: ended.code,
    signal: ended.signal,
    detail: BoundedText.truncate(`${note}${because(message)}`, limits.reasonBytes)
  })
}

/** The result of a process that has ended, or the error that its end stands for. */
export const outcome = (process: Process, ended: Ended, report: Report) => {
  if (report.defect !== null) return Effect.die(report.defect.error)
  if (report.error !== null) return Effect.fail(reportedError(process, ended, report.error))
  if (ended.code !== 0) return Effect.fail(exitError(process, ended, report.stderr))
  if (report.isResultTooLarge)
    return Effect.fail(
      new ResultTooLarge({ workflowType: process.assignment.workflowType, limitBytes: limits.resultBytes })
    )
  if (report.result !== null) return Effect.succeed(report.result.value)
  return process.requireResult
    ? Effect.fail(new EmptyResult({ jobId: process.assignment.jobId }))
    : Effect.succeed({ stdout: report.stdout })
}

/** The host is short of something; later it may have it. */
const scarce = new Set(["EAGAIN", "EMFILE", "ENFILE", "ENOMEM"])
const missing = new Set(["ENOENT", "EACCES", "ENOTDIR", "ELOOP", "ENOEXEC", "ENAMETOOLONG", "EISDIR"])

/** The error that a process stands for which never started. `lostFolder`: the folder that it was to start in is not there. */
export const startError = (process: Process, error: StartFailed, lostFolder: string | null) => {
  const fields = { command: process.command, exitCode: null }
  if (lostFolder !== null) {
    const detail = `the folder ${lostFolder} is not there`
    return process.assignment.workspace === null
      ? new CommandUsage({ ...fields, detail })
      : crashed(process, "could not start", detail)
  }
  if (process.command === "") return new CommandNotFound({ ...fields, detail: "the command is empty" })
  if (error.errno === "ENOENT") return new CommandNotFound({ ...fields, detail: "" })
  if (missing.has(error.errno))
    return new CommandNotFound({ ...fields, detail: `it can't be executed (${error.errno})` })
  if (scarce.has(error.errno)) return new CommandUnavailable({ ...fields, detail: error.errno })
  const detail =
    error.errno === "E2BIG"
      ? "its arguments and environment are larger than the system allows (E2BIG); let it read the payload from standard input"
      : BoundedText.truncate(error.detail, limits.reasonBytes)
  return new CommandUsage({ ...fields, detail })
}
