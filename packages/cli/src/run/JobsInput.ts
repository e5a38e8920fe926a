/**
 * Where the lines of a run come from: a file, standard input, or nowhere.
 */
import { fstatSync } from "node:fs"
import { Effect, FileSystem, Stdio } from "effect"
import type { PlatformError } from "effect/PlatformError"
import { talk } from "../output/Answer.ts"
import { UsageError } from "../UsageError.ts"
import * as JobsFile from "./JobsFile.ts"

/** Whether somebody has put a pipe, a socket or a file there: not a terminal, and not /dev/null. */
const isPiped = (): boolean => {
  try {
    const stat = fstatSync(0)
    return stat.isFIFO() || stat.isFile() || stat.isSocket()
  } catch {
    // closed
    return false
  }
}

const unreadable = (name: string) => (error: PlatformError) =>
  new UsageError({
    message: `${name} can't be read: ${error.reason._tag === "NotFound" ? "there is no such file" : error.message}.`,
    hint: "JOBS is a file of JSON lines, or - for standard input."
  })

const readStdin = Effect.fnUntraced(function* (workflow: string | null) {
  const { stdin } = yield* Stdio.Stdio
  const name = "standard input"
  return yield* JobsFile.read(name, stdin, workflow).pipe(Effect.mapError(unreadable(name)))
})

/**
 * All lines, or null where the run is given none and works what waits.
 *
 * @param jobs as it was typed; undefined where nothing was
 * @param workflow the workflow of lines that name none; null where they must
 */
export const readJobs = Effect.fnUntraced(function* (jobs: string | undefined, workflow: string | null) {
  if (jobs === "-") return yield* readStdin(workflow)
  if (jobs === undefined) {
    if (!isPiped()) return null
    yield* talk("Reading jobs from standard input; with < /dev/null the run works what waits.")
    const file = yield* readStdin(workflow)
    // a caller that gives an empty pipe gives no jobs
    return file.jobs.length === 0 && file.badCount === 0 ? null : file
  }
  const fs = yield* FileSystem.FileSystem
  const info = yield* fs.stat(jobs).pipe(Effect.mapError(unreadable(jobs)))
  if (info.type === "Directory") {
    return yield* new UsageError({ message: `${jobs} is a folder.`, hint: "JOBS is a file of JSON lines." })
  }
  return yield* JobsFile.read(jobs, fs.stream(jobs), workflow).pipe(Effect.mapError(unreadable(jobs)))
})
