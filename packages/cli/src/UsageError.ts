/**
 * The command line is wrong in a way that only the command itself can see. Ends with exit code 2, like all usage errors.
 */
import * as Data from "effect/Data"

export class UsageError extends Data.TaggedError("UsageError")<{
  /** What is wrong, in one sentence. */
  readonly message: string
  /** What to type instead; empty for nothing to add. */
  readonly hint: string
}> {}
