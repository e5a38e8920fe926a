/**
 * `muster init`: a configuration for this folder, an agent, and a file of jobs about the files that are here.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { configNames } from "../config/ConfigFile.ts"
import type { InitJson } from "../json/InitJson.ts"
import { answer } from "../output/Answer.ts"
import { commandLine, started } from "../run/Invocation.ts"
import { storeSetting } from "../store/StorePath.ts"
import { UsageError } from "../UsageError.ts"

const jobsFile = "jobs.jsonl"
const agentFile = "agent.mjs"

const configFile = "muster.config.ts"

const config = `// The fleet of this folder. muster config check looks at it, muster config show says what every setting is and where it comes from.
import { defineFleet } from "@muster/cli/config"

export default defineFleet({
  // agents at work at once
  slots: 4,
  workflows: {
    // each job is one process: its payload on standard input, what it prints is its stream, how it exits is its outcome
    count: {
      command: ["node", "${agentFile}"],
      requireResult: true,
      // an attempt that says nothing for so long is given up
      silence: "1m"
    },
    // an async function is an agent too:
    // greet: { run: async ({ name }: { name: string }, agent) => ({ hello: name }) }
  },
  // what follows from a code: muster policy
  codes: {
    "EXT_*": { maxAttempts: 3 }
  }
})
`

const agent = `// An agent: a program that does one job. Its payload comes as JSON on standard input; the environment says more:
// MUSTER_JOB_ID, MUSTER_IDEMPOTENCY_KEY, MUSTER_ATTEMPT, MUSTER_INCARNATION, MUSTER_WORKSPACE.
import { readFileSync } from "node:fs"

const say = (line) => console.log(JSON.stringify(line))
const { path } = JSON.parse(readFileSync(0, "utf8"))

// any line of output is a sign of life; lines like these are understood
say({ type: "progress", message: \`reading \${path}\` })
try {
  const text = readFileSync(path, "utf8")
  say({ type: "result", result: { path, lines: text.split("\\n").length, bytes: Buffer.byteLength(text) } })
} catch (error) {
  // DQ_… ends the job, EXT_… tries it again: muster policy
  say({ type: "error", code: "DQ_FILE_UNREADABLE", message: String(error) })
}
`

/** Jobs in the example, at most. */
const exampleJobs = 5

/** The first few files of the folder, in the order of their names; the agent itself where there is none. */
const exampleFiles = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const names = (yield* fs.readDirectory(".")).filter((name) => !name.startsWith(".")).toSorted()
  const files: Array<string> = []
  for (const name of names) {
    if (files.length === exampleJobs) break
    const info = yield* Effect.option(fs.stat(name))
    if (info._tag === "Some" && info.value.type === "File") files.push(name)
  }
  return files.length === 0 ? [agentFile] : files
})

/** Writes all of them, or none where one is there: nothing that is here is overwritten. */
const write = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const files = [configFile, agentFile, jobsFile]
  const there: Array<string> = []
  for (const name of new Set([...configNames, ...files])) if (yield* fs.exists(name)) there.push(name)
  if (there.length > 0) {
    return yield* new UsageError({
      message: `${there.join(", ")} ${there.length === 1 ? "is" : "are"} there already; nothing was written.`,
      hint: "muster config check looks at the configuration of this folder; muster init is for a folder without."
    })
  }
  const jobs = (yield* exampleFiles).map((path) => JSON.stringify({ path }))
  yield* fs.writeFileString(configFile, config, { flag: "wx" })
  yield* fs.writeFileString(agentFile, agent, { flag: "wx" })
  yield* fs.writeFileString(jobsFile, `${jobs.join("\n")}\n`, { flag: "wx" })
  return files
})

export const init = Effect.gen(function* () {
  const store = yield* storeSetting
  const files = yield* write
  const start = started({ store })
  const command = commandLine(start, store.value, ["run", jobsFile])
  const document: InitJson = { files, command }
  yield* answer(document, ({ style }) => [
    `Wrote ${files.slice(0, -1).join(", ")} and ${files.at(-1) ?? ""}. Now type:`,
    "",
    `  ${style.title(command)}`,
    "",
    `Then look around: ${commandLine(start, store.value, ["status"])}`,
    `What is set, and by whom: ${commandLine(start, store.value, ["config", "show"])}`
  ])
})
