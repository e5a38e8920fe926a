/**
 * The `muster` command as a process of its own, on the store of the stage.
 */
import { execFile } from "node:child_process"
import { join } from "node:path"
import { Effect } from "effect"

const bin = join(import.meta.dirname, "../../packages/cli/bin/muster.js")

export interface CommandEnd {
  readonly args: ReadonlyArray<string>
  readonly code: number
  readonly out: string
  readonly err: string
  readonly millis: number
}

/** Runs it to its end, whatever that is. */
export const run = (
  store: string,
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>>
): Effect.Effect<CommandEnd> =>
  Effect.callback<CommandEnd>((resume, signal) => {
    const began = performance.now()
    const env = { ...process.env, ...environment, NO_COLOR: "1" }
    execFile(
      process.execPath,
      ["--conditions=@muster/source", bin, "--store", store, ...args],
      { env, signal, maxBuffer: 67_108_864 },
      (error, out, err) => {
        const code = error === null ? 0 : typeof error.code === "number" ? error.code : -1
        resume(Effect.succeed({ args, code, out, err, millis: performance.now() - began }))
      }
    )
  })
