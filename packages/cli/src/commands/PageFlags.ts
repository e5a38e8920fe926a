/**
 * The flags of a list that is read in pages.
 */
import * as Flag from "effect/cli/Flag"

/** Counts and cursors start here; the message names the flag. */
const from =
  (least: number) =>
  (flag: Flag.Flag<number>): Flag.Flag<number> =>
    Flag.filter(
      flag,
      (value) => value >= least,
      (value) => `Expected ${least} or more, not ${value}`
    )

/** @param forPeople rows where nobody says; machines get all */
export const limit = (forPeople: number) =>
  Flag.Int("limit").pipe(
    Flag.withMetavar("N"),
    Flag.withDescription(`At most this many (default: ${forPeople} for people, all with --json)`),
    from(1),
    Flag.optional
  )

export const after = (metavar: string, description: string) =>
  Flag.Int("after").pipe(Flag.withMetavar(metavar), Flag.withDescription(description), from(0), Flag.optional)
