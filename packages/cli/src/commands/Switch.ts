/**
 * A flag that is there or not. The parser's own boolean takes the next word for its value where that is a word like `1` or `no`, and jobs
 * are named by numbers: `show --json 1`.
 */
import * as Flag from "effect/cli/Flag"

/** `--name`, and `--name=false` where somebody writes it so; never the word after it. */
export const make = (name: string): Flag.Flag<boolean> =>
  Flag.Boolean(name).pipe(Flag.withOptionalValue("true"))
