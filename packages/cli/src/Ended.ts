/**
 * The command has said all that there is to say and ends with this exit code: no error to report, only a number for the caller.
 */
import * as Data from "effect/Data"
import * as Runtime from "effect/Runtime"

export class Ended extends Data.TaggedError("Ended")<{
  /** From core's table of exit codes; 0 only where a command ends early. */
  readonly exitCode: number
}> {
  override readonly [Runtime.errorExitCode] = this.exitCode
  override readonly [Runtime.errorReported] = false
}
