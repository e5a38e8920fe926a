/**
 * Help goes to standard output, and so does the version. What is wrong with a command line goes to standard error, with where to read on.
 */
import * as CliOutput from "effect/cli/CliOutput"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { reportUsage } from "./Report.ts"

/** @param json errors are told in JSON */
export const presenter = (json: boolean): CliOutput.Presenter => ({
  present: Effect.fnUntraced(function* (event) {
    switch (event._tag) {
      case "Help": {
        const { canColor } = yield* TerminalCapabilities.TerminalCapabilities
        return yield* Console.log(
          CliOutput.defaultFormatter({ colors: canColor }).formatHelpDoc(event.helpDoc).trimEnd()
        )
      }
      case "Version":
        return yield* Console.log(`${event.name} ${event.version}`)
      case "InvalidInvocation": {
        const message = event.errors.map((error) => error.message).join("\n")
        return yield* reportUsage(message, `${event.commandPath.join(" ")} --help`, json)
      }
    }
  })
})
