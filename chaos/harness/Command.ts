/**
 * Programs that do one thing with the store of the stage and end: the `muster` command, and a submitter.
 */
import { execFile } from "node:child_process"
import { join } from "node:path"
import { Effect } from "effect"
import { payloadOf, type Wanted } from "./Jobs.ts"

const bin = join(import.meta.dirname, "../../packages/cli/bin/muster.js")
const submitterFile = join(import.meta.dirname, "../submitter.ts")

export interface CommandEnd {
  readonly args: ReadonlyArray<string>
  readonly code: number
  readonly out: string
  readonly err: string
  readonly millis: number
}

const program = (
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>>
): Effect.Effect<CommandEnd> =>
  Effect.callback<CommandEnd>((resume, signal) => {
    const began = performance.now()
    const env = { ...process.env, ...environment, NO_COLOR: "1" }
    execFile(
      process.execPath,
      ["--conditions=@muster/source", ...args],
      { env, signal, maxBuffer: 67_108_864 },
      (error, out, err) => {
        const code = error === null ? 0 : typeof error.code === "number" ? error.code : -1
        resume(Effect.succeed({ args, code, out, err, millis: performance.now() - began }))
      }
    )
  })

/** Runs the command to its end, whatever that is. */
export const run = (
  store: string,
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>>
): Effect.Effect<CommandEnd> => program([bin, "--store", store, ...args], environment)

/** Hands one job in so often, from a process of its own: the answers that it got. */
export const submitter = (
  store: string,
  wanted: Wanted,
  times: number,
  environment: Readonly<Record<string, string>>
) =>
  Effect.map(
    program(
      [submitterFile, store, wanted.workflow, JSON.stringify(payloadOf(wanted)), wanted.name, String(times)],
      environment
    ),
    ({ out }) =>
      out
        .trim()
        .split("\n")
        .map((line) => line.split(" "))
        .map(([jobId = "", answer]) => ({ jobId, isNew: answer === "Inserted" }))
  )
