/**
 * Which of the command's two forms is to be loaded: the bundle, which starts at once, or, for a fleet that runs the code of a configuration,
 * the packages themselves, so that the configuration's effect and the fleet's are one.
 */
import * as ConfigFile from "./ConfigFile.ts"
import { oneCopy } from "./OneCopy.ts"

/** The words that start a fleet. */
const starting = new Set(["run"])

const flagOf = (words: ReadonlyArray<string>): string | undefined => {
  const at = words.findIndex((word) => word === "--config" || word.startsWith("--config="))
  const word = words[at]
  return word?.includes("=") === true ? word.slice(word.indexOf("=") + 1) : words[at + 1]
}

/** @param args without the program's own name */
export const runsConfiguredCode = (args: ReadonlyArray<string>): boolean => {
  const end = args.indexOf("--")
  const words = end === -1 ? args : args.slice(0, end)
  if (!words.some((word) => starting.has(word))) return false
  const flag = words.some((word) => word.startsWith("--config")) ? flagOf(words) : undefined
  // asked before the settings of the command line are there
  const found = ConfigFile.find({ flag, env: process.env, cwd: process.cwd() })
  if (found === null || !ConfigFile.isCode(found)) return false
  oneCopy(found)
  return true
}
