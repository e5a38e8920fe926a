/**
 * `muster run`: a file of jobs and a command become a fleet of processes, until every job of the run is over.
 */
import { defaults, exit, limits, Workflow } from "@muster/core"
import { ProcessRunner } from "@muster/fleet"
import { Console, Effect, Option, Schema, Stdio } from "effect"
import { Ended } from "../Ended.ts"
import { JsonFlag, StoreFlag } from "../GlobalFlags.ts"
import { talk } from "../output/Answer.ts"
import { UsageError } from "../UsageError.ts"
import { parseMillis } from "./DurationText.ts"
import { freshKeys } from "./FreshKeys.ts"
import { commandLine, started } from "./Invocation.ts"
import type { JobLine } from "./JobLine.ts"
import { badLinesReport, type JobsFile } from "./JobsFile.ts"
import { readJobs } from "./JobsInput.ts"
import { type Look, runFleet } from "./RunFleet.ts"
import { newRunId } from "./RunId.ts"
import type { RunSummaryJson } from "./RunJson.ts"
import * as WorkflowName from "./WorkflowName.ts"

export interface RunInput {
  readonly jobs: Option.Option<string>
  /** What follows JOBS; the words after `--` are among them. */
  readonly command: ReadonlyArray<string>
  readonly slots: Option.Option<number>
  readonly workflow: Option.Option<string>
  readonly fresh: boolean
  readonly skipInvalid: boolean
  /** Seconds. */
  readonly drain: Option.Option<number>
  readonly stdin: "payload" | "lines"
  readonly unknownOutcome: "ask" | "rerun" | "fail"
  readonly requireResult: boolean
  readonly maxRetries: Option.Option<number>
  readonly silence: Option.Option<string>
}

const usage = (message: string, hint = "muster run --help"): UsageError => new UsageError({ message, hint })

/** The parser takes the words before and after `--` as one list: how many stand after it, only the arguments themselves tell. */
const splitWords = Effect.fnUntraced(function* (input: RunInput) {
  const { args } = yield* Stdio.Stdio
  const given = yield* args
  const dashes = given.indexOf("--")
  const command = dashes === -1 ? [] : given.slice(dashes + 1)
  const words = [...Option.toArray(input.jobs), ...input.command]
  const before = words.slice(0, words.length - command.length)
  if (before.length > 1) {
    return yield* usage(
      `Only one file of jobs can be given, not ${before.length}.`,
      "The agent's command comes after --: muster run jobs.jsonl -- ./agent"
    )
  }
  if (command[0] === undefined || command[0] === "") {
    return yield* usage(
      "There is no command to work with.",
      "It comes after --: muster run jobs.jsonl -- ./agent"
    )
  }
  return { jobs: before[0], command }
})

const within = Effect.fnUntraced(function* (
  name: string,
  value: Option.Option<number>,
  bounds: { readonly from: number; readonly to: number },
  otherwise: number
) {
  const given = Option.getOrElse(value, () => otherwise)
  if (given >= bounds.from && given <= bounds.to) return given
  return yield* usage(`--${name} must be from ${bounds.from} to ${bounds.to}.`)
})

const largestSlots = 10_000
const largestDrainSeconds = 86_400

const checked = Effect.fnUntraced(function* (input: RunInput) {
  const { command, jobs } = yield* splitWords(input)
  const slots = yield* within("slots", input.slots, { from: 1, to: largestSlots }, defaults.slots)
  const retries = { from: 0, to: limits.maxRetries }
  const maxRetries = yield* within("max-retries", input.maxRetries, retries, defaults.maxRetries)
  const drain = yield* within("drain", input.drain, { from: 0, to: largestDrainSeconds }, 0)
  const silence = Option.getOrUndefined(input.silence)
  const silenceMillis = silence === undefined ? defaults.silenceMillis : parseMillis(silence)
  if (silenceMillis === undefined || silenceMillis <= 0) {
    return yield* usage(`--silence ${silence} is no length of time.`, "Write it as 500ms, 30s, 5m or 1h.")
  }
  const name = Option.getOrElse(input.workflow, () => WorkflowName.ofCommand(command))
  if (name.trim() !== name || name === "" || name.length > limits.workflowTypeLength) {
    return yield* usage(`"${name}" can't be the name of a workflow.`)
  }
  return { jobs, command, slots, maxRetries, drainMillis: drain * 1_000, silenceMillis, name }
})

type Checked = Effect.Success<ReturnType<typeof checked>>

const makeWorkflow = Effect.fnUntraced(function* (input: RunInput, run: Checked) {
  const runner = yield* ProcessRunner.make({
    command: run.command,
    stdin: input.stdin,
    requireResult: input.requireResult
  })
  return Workflow.make(run.name, {
    payload: Schema.Unknown,
    result: Schema.Unknown,
    runner,
    maxRetries: run.maxRetries,
    unknownOutcome: input.unknownOutcome,
    silence: run.silenceMillis,
    // a window longer than the default cap is wanted, not an oversight
    silenceCap: Math.max(run.silenceMillis, defaults.silenceCapMillis)
  })
})

/** Bad lines are told; they end the run before anything is submitted unless they may be left out. */
const refuseBadLines = Effect.fnUntraced(function* (file: JobsFile, skipInvalid: boolean) {
  if (file.badCount === 0) return
  const isJson = yield* JsonFlag
  const verdict = skipInvalid
    ? `${file.badCount} bad ${file.badCount === 1 ? "line is" : "lines are"} left out.`
    : `Nothing was submitted: ${file.badCount} of the lines can't be used. Mend them, or leave them out with --skip-invalid.`
  const code = "CONTRACT_PAYLOAD_TYPE_MISMATCH"
  const report = isJson
    ? file.bad.map(({ line, reason }) =>
        JSON.stringify({
          code,
          message: `${file.name}:${line}: ${reason}`,
          hint: verdict,
          exit_code: exit.data
        })
      )
    : badLinesReport(file)
  yield* Console.error([...report, ...(isJson ? [] : [verdict])].join("\n"))
  yield* skipInvalid ? Effect.void : Effect.fail(new Ended({ exitCode: exit.data }))
})

/** Lines of other workflows are stored for whoever serves those, and that is said before they are. */
const tellOthers = (lines: ReadonlyArray<JobLine>, name: string) => {
  const others = lines.filter(({ submission }) => submission.workflowType !== name)
  if (others.length === 0) return Effect.void
  const names = Array.from(new Set(others.map(({ submission }) => submission.workflowType)))
  const shown = names.slice(0, 5).join(", ") + (names.length > 5 ? ", …" : "")
  return talk(
    `${others.length} ${others.length === 1 ? "line names another workflow" : "lines name other workflows"} (${shown}) than ${name}: stored for a host that serves it, not worked or waited for here.`
  )
}

const endWith = (exitCode: number) =>
  exitCode === exit.ok ? Effect.void : Effect.fail(new Ended({ exitCode }))

export const run = Effect.fnUntraced(function* (input: RunInput) {
  const options = yield* checked(input)
  const store = yield* StoreFlag
  const file = yield* readJobs(options.jobs, options.name)
  if (file !== null) yield* refuseBadLines(file, input.skipInvalid)
  const given = file === null ? null : file.jobs
  const lines = given !== null && input.fresh ? freshKeys(given, yield* newRunId) : given
  if (lines !== null) yield* tellOthers(lines, options.name)

  const from = started()
  const type = (words: ReadonlyArray<string>) => commandLine(from, store, words)
  // A file's lines answer for themselves when they are given again; under fresh keys they would run twice.
  const again = options.jobs === undefined || options.jobs === "-" || input.fresh ? [] : [options.jobs]
  const named = Option.match(input.workflow, { onNone: () => [], onSome: (name) => ["--workflow", name] })
  const slots = Option.match(input.slots, { onNone: () => [], onSome: (count) => ["--slots", String(count)] })
  const goOn = commandLine(from, store, ["run", ...again, ...named, ...slots], ["--", ...options.command])
  const next = (summary: RunSummaryJson, { example, parked }: Look): ReadonlyArray<string> => {
    if (parked !== null) return [type(["show", parked]), type(["settle", parked, "--done"]), goOn]
    if (summary.unfinished > 0) return [goOn]
    if (example === null) return []
    if (summary.dead_lettered > 0) return [type(["dlq", "list"]), type(["dlq", "show", example])]
    return [type(["show", example]), type(["events", "--job", example])]
  }
  const summary = yield* runFleet({
    title: options.name,
    workflows: [yield* makeWorkflow(input, options)],
    store,
    slots: options.slots,
    drainMillis: options.drainMillis,
    lines,
    skipped: file?.badCount ?? 0,
    next
  })
  yield* endWith(summary.exit_code)
})
