/**
 * Errors of an agent that is a process: what its exit means (R32; numbers of sysexits where it used them).
 */
import { Schema } from "effect"

const fields = {
  /** The program's name, without its arguments: those may hold secrets. */
  command: Schema.String,
  /** Null when a signal ended it, or it never started. */
  exitCode: Schema.NullOr(Schema.Int),
  /** The end of its standard error, bounded and redacted; empty when it wrote nothing. */
  detail: Schema.String
}

const said = (detail: string) => (detail === "" ? "" : `: ${detail}`)

/** The program is missing, or a shell answered 127. */
export class CommandNotFound extends Schema.TaggedError<CommandNotFound>()(
  "CONTRACT_COMMAND_NOT_FOUND",
  fields
) {
  override get message() {
    return `The program "${this.command}" was not found${said(this.detail)}. Install it, or mend the command or PATH.`
  }
}

/** Exit 64 or 78, or it can't even be started: it was called or configured wrongly. */
export class CommandUsage extends Schema.TaggedError<CommandUsage>()("CONTRACT_COMMAND_USAGE", fields) {
  override get message() {
    return this.exitCode === null
      ? `The program "${this.command}" can't be started${said(this.detail)}`
      : `The program "${this.command}" says that it was called or configured wrongly (exit ${this.exitCode})${said(this.detail)}`
  }
}

/** Exit 65: it can't work with this input. */
export class CommandData extends Schema.TaggedError<CommandData>()("DQ_COMMAND_DATA", fields) {
  override get message() {
    return `The program "${this.command}" says that its input is not usable (exit ${this.exitCode})${said(this.detail)}`
  }
}

/** Exit 69 or 75: something that it needs is away for now. */
export class CommandUnavailable extends Schema.TaggedError<CommandUnavailable>()(
  "EXT_COMMAND_UNAVAILABLE",
  fields
) {
  override get message() {
    return `The program "${this.command}" says that something it needs is unavailable (exit ${this.exitCode})${said(this.detail)}`
  }
}

/** Any other exit but 0, or a signal. */
export class ProcessFailed extends Schema.TaggedError<ProcessFailed>()("EXT_PROCESS_FAILED", {
  ...fields,
  /** The signal's name; null when it exited by itself. */
  signal: Schema.NullOr(Schema.String)
}) {
  override get message() {
    const end = this.signal === null ? `exited with ${this.exitCode}` : `was ended by ${this.signal}`
    return `The program "${this.command}" ${end}${said(this.detail)}`
  }
}
