/**
 * `muster init`: a file of jobs about the files of this folder, and an agent that does them.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type { InitJson } from "../json/InitJson.ts"
import { answer } from "../output/Answer.ts"
import { commandLine, started } from "../run/Invocation.ts"
import { storePath } from "../store/StorePath.ts"
import { UsageError } from "../UsageError.ts"

const jobsFile = "jobs.jsonl"
const agentFile = "agent.mjs"

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
  const names = (yield* fs.readDirectory("."))
    .filter((name) => !name.startsWith(".") && name !== jobsFile)
    .toSorted()
  const files: Array<string> = []
  for (const name of names) {
    if (files.length === exampleJobs) break
    const info = yield* Effect.option(fs.stat(name))
    if (info._tag === "Some" && info.value.type === "File") files.push(name)
  }
  return files.length === 0 ? [agentFile] : files
})

const write = Effect.fnUntraced(function* (force: boolean) {
  const fs = yield* FileSystem.FileSystem
  const files = [jobsFile, agentFile]
  const there: Array<string> = []
  for (const name of files) if (yield* fs.exists(name)) there.push(name)
  if (there.length > 0 && !force) {
    return yield* new UsageError({
      message: `${there.join(" and ")} ${there.length === 1 ? "is" : "are"} there already; nothing was written.`,
      hint: "muster init --force overwrites."
    })
  }
  const jobs = (yield* exampleFiles).map((path) => JSON.stringify({ path }))
  yield* fs.writeFileString(jobsFile, `${jobs.join("\n")}\n`)
  yield* fs.writeFileString(agentFile, agent)
  return files
})

export const init = Effect.fnUntraced(function* ({ force }: { readonly force: boolean }) {
  const files = yield* write(force)
  const start = started()
  const store = yield* storePath
  const command = commandLine(start, store, ["run", jobsFile], ["--", "node", agentFile])
  const document: InitJson = { files, command }
  yield* answer(document, ({ style }) => [
    `Wrote ${files.join(" and ")}. Now type:`,
    "",
    `  ${style.title(command)}`,
    "",
    `Then look around: ${commandLine(start, store, ["status"])}`
  ])
})
