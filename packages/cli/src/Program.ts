/**
 * The command as an effect: from its arguments to what it says and an exit code. Fails with `Ended` alone, when all has been said.
 */
import * as Cause from "effect/Cause"
import * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import manifest from "../package.json" with { type: "json" }
import { muster } from "./Cli.ts"
import * as CliSettings from "./CliSettings.ts"
import { Ended } from "./Ended.ts"
import { presenter } from "./Presenter.ts"
import { report, reportUsage, usageExitCode } from "./Report.ts"
import { UsageError } from "./UsageError.ts"

const run = Command.runWith(muster, { version: manifest.version })

/** What stands after `--` belongs to the agent's command. */
export const wantsJson = (args: ReadonlyArray<string>): boolean => {
  const end = args.indexOf("--")
  return (end === -1 ? args : args.slice(0, end)).includes("--json")
}

const firstError = (cause: Cause.Cause<unknown>): unknown => cause.reasons.find(Cause.isFailReason)?.error

/** Says what has not been said yet, and answers the exit code. */
const conclude = Effect.fnUntraced(function* (cause: Cause.Cause<unknown>, json: boolean) {
  const error = firstError(cause)
  if (error instanceof Ended) return error.exitCode
  if (error instanceof UsageError) {
    yield* reportUsage(error.message, error.hint, json)
    return usageExitCode
  }
  // the presenter has said what is wrong with the command line
  if (CliError.isCliError(error)) {
    return error._tag === "ShowHelp" && error.errors.length === 0 ? 0 : usageExitCode
  }
  const { failureReport } = yield* Effect.promise(() => import("./output/FailureReport.ts"))
  const failure = yield* failureReport(cause)
  yield* report(failure, json)
  if (failure.code === "unexpected" && !json) yield* Console.error(Cause.pretty(cause))
  return failure.exit_code
})

const layer = (json: boolean) =>
  Layer.mergeAll(
    CliSettings.layer,
    CliOutput.layerPresenter(presenter(json)),
    // standard output is data
    Layer.succeed(Logger.LogToStderr, true)
  )

interface Named {
  readonly name: string
  readonly subcommands: ReadonlyArray<{ readonly commands: ReadonlyArray<Named> }>
}

/** Whether the words lead to a command: what stands behind one that has no others below it is not looked at. */
const leads = (command: Named, [word, ...rest]: ReadonlyArray<string>): boolean => {
  const below = command.subcommands.flatMap(({ commands }) => commands)
  if (word === undefined || word.startsWith("-") || below.length === 0) return true
  const next = below.find(({ name }) => name === word)
  return next !== undefined && leads(next, rest)
}

/** `muster help submit` is what many try first. Of a command that isn't there it is said that it isn't. */
const withHelp = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [first, ...words] = args
  if (first !== "help") return args
  return leads(muster, words) ? [...words, "--help"] : words
}

/** @param args without the program's own name */
export const program = (args: ReadonlyArray<string>) => {
  const json = wantsJson(args)
  return run(withHelp(args)).pipe(
    Effect.provide(layer(json)),
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.failCause(Cause.fromReasons<never>(cause.reasons.filter(Cause.isInterruptReason)))
        : Effect.flatMap(conclude(cause, json), (exitCode) =>
            exitCode === 0 ? Effect.void : Effect.fail(new Ended({ exitCode }))
          )
    )
  )
}
