/**
 * Help goes to standard output, and so does the version. What is wrong with a command line goes to standard error, with where to read on.
 */
import type * as CliError from "effect/cli/CliError"
import type * as CliOutput from "effect/cli/CliOutput"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { helpPage } from "./output/HelpPage.ts"
import { style } from "./output/Style.ts"
import { reportUsage } from "./Report.ts"

/** One sentence, with what was perhaps meant. */
const sentence = (error: CliError.CliError): string => {
  const [said = ""] = error.message
    .replace("a string representing a finite number", "a number")
    .replace("an integer", "a whole number")
    .split("\n")
  const meant = "suggestions" in error ? error.suggestions : []
  const stop = /[.!?]$/.test(said) ? said : `${said}.`
  return meant.length === 0 ? stop : `${stop} Did you mean ${meant.join(" or ")}?`
}

/** @param json errors are told in JSON */
export const presenter = (json: boolean): CliOutput.Presenter => ({
  present: Effect.fnUntraced(function* (event) {
    switch (event._tag) {
      case "Help": {
        const lines = helpPage(event.helpDoc, yield* style)
        return yield* Console.log(lines.join("\n"))
      }
      case "Version":
        return yield* Console.log(`${event.name} ${event.version}`)
      case "InvalidInvocation": {
        const message = event.errors.map(sentence).join(" ")
        return yield* reportUsage(message, `${event.commandPath.join(" ")} --help`, json)
      }
      default:
        return event satisfies never
    }
  })
})
