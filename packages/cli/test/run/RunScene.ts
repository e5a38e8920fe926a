// A folder with a store of its own, and runs over it in this process: real processes, real time, output in memory.
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { TestConsole } from "effect/testing"
import { type, storeFolder, world } from "../CommandLine.ts"

export const scene = Effect.gen(function* () {
  const { file, folder, type: inStore } = yield* storeFolder
  const effects = join(folder, "effects")
  writeFileSync(effects, "")
  return {
    folder,
    file,
    /** Another command over the same store. */
    type: inStore,
    /** A file that agents append to, and the lines in it. */
    effects,
    happened: () => readFileSync(effects, "utf8").split("\n").filter(Boolean).toSorted(),
    /** Writes a file of jobs, one document a line, and answers its path. */
    jobs: (...lines: ReadonlyArray<unknown>) => {
      const path = join(folder, "jobs.jsonl")
      const text = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line)))
      writeFileSync(path, `${text.join("\n")}\n`)
      return path
    },
    /** `muster run <words> -- sh -c <script>` */
    run: (words: ReadonlyArray<string>, script: string, stdin?: string) =>
      type(["run", ...words, "--store", file, "--", "sh", "-c", script], stdin)
  }
})

export const runWorld = Layer.mergeAll(world, TestConsole.layer)

/** The documents of a run with --json. */
export const documentsOf = (out: ReadonlyArray<string>): ReadonlyArray<Readonly<Record<string, unknown>>> =>
  // each line is an object; what is in it, the tests say
  out.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)

export const summaryOf = (out: ReadonlyArray<string>): Readonly<Record<string, unknown>> =>
  documentsOf(out.slice(-1))[0] ?? {}
