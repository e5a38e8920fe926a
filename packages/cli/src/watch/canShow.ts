/**
 * Whether a board can be shown: standard output is a terminal that can move its cursor, and a person looks at it.
 */
import { Config, Effect, Option } from "effect"
import { TerminalCapabilities } from "effect/cli/TerminalCapabilities"
import { JsonFlag } from "../GlobalFlags.ts"

const isOn = (value: Option.Option<string>): boolean =>
  Option.isSome(value) && value.value !== "" && value.value !== "0" && value.value.toLowerCase() !== "false"

export const canShow = Effect.gen(function* () {
  const { canAnimate } = yield* TerminalCapabilities
  const isCi = isOn(yield* Effect.orDie(Config.option(Config.String("CI"))))
  return canAnimate && !isCi && !(yield* JsonFlag)
})
