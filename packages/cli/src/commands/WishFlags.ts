/**
 * The flags of commands that tell hosts what is wanted of them.
 */
import * as Flag from "effect/cli/Flag"

export const reason = Flag.String("reason").pipe(
  Flag.withMetavar("TEXT"),
  Flag.withDescription("Why; kept in the audit"),
  Flag.optional
)

export const requestId = Flag.String("request-id").pipe(
  Flag.withMetavar("ID"),
  Flag.withDescription("Repeating a request under the same id answers with what came of the first"),
  Flag.optional
)

export const host = Flag.Int("host").pipe(
  Flag.withMetavar("N"),
  Flag.withDescription("Only this host, by its number in muster status (default: all)"),
  Flag.filter(
    (number) => number > 0,
    (number) => `Expected the number of a host, not ${number}`
  ),
  Flag.optional
)
