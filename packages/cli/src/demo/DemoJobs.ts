/**
 * The jobs of the demo: source files of this very package for three kinds of agents, and three of them that go wrong on purpose.
 */
import { readdirSync } from "node:fs"
import { isAbsolute, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import type { JobLine } from "../run/JobLine.ts"

/** `src` of this package, which is shipped beside `dist`; reached from both. */
const sources = fileURLToPath(new URL("../../src/", import.meta.url))

export const agentScript = (name: string): string => join(sources, "demo", "agents", `${name}.mjs`)

/** Which line goes wrong, and how. */
export interface DemoLines {
  readonly lines: ReadonlyArray<JobLine>
  /** Fails twice with a code that is retried, then lands. */
  readonly flaky: number
  /** Falls silent in its first attempt, then lands. */
  readonly silent: number
  /** Gets a file that is no text: dead-lettered at once. */
  readonly bad: number
}

const filesOf = (folder: string, count: number): ReadonlyArray<string> =>
  readdirSync(join(sources, folder))
    .filter((name) => name.endsWith(".ts"))
    .toSorted()
    .slice(0, count)
    .map((name) => join(sources, folder, name))

/** A path as it reads best from `cwd`. */
const pathFrom = (cwd: string, path: string): string => {
  const near = relative(cwd, path)
  return near.startsWith("..") || isAbsolute(near) ? path : near
}

/** @param binary a file that holds NUL bytes */
export const demoLines = (cwd: string, binary: string): DemoLines => {
  const lines: Array<JobLine> = []
  const add = (workflowType: string, payload: Readonly<Record<string, unknown>>): number => {
    const line = lines.length + 1
    lines.push({ _tag: "Job", line, submission: { workflowType, payload } })
    return line
  }
  const files = filesOf("run", 8).map((path) => pathFrom(cwd, path))
  const [first = "", second = "", ...rest] = files
  const flaky = add("check", { path: first, away_for: 2 })
  const silent = add("summarise", { path: second, silent_once: true })
  const bad = add("check", { path: binary })
  for (const path of files) add("count", { path })
  for (const path of rest.slice(0, 3)) add("check", { path })
  for (const path of rest.slice(0, 4)) add("summarise", { path })
  return { lines, flaky, silent, bad }
}
