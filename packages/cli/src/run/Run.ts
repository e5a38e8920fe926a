/**
 * `muster run`: a file of jobs and a command, or the workflows of a configuration, become a fleet, until every job of the run is over.
 */
import { exit } from "@muster/core"
import { Console, Effect, Option } from "effect"
import { Ended } from "../Ended.ts"
import { ConfigFlag, JsonFlag } from "../GlobalFlags.ts"
import { talk } from "../output/Answer.ts"
import { storeSetting } from "../store/StorePath.ts"
import { otlpSetting } from "./Exporting.ts"
import { freshKeys } from "./FreshKeys.ts"
import { commandLine, started } from "./Invocation.ts"
import type { JobLine } from "./JobLine.ts"
import { badLinesReport, type JobsFile } from "./JobsFile.ts"
import { readJobs } from "./JobsInput.ts"
import { type Look, runFleet } from "./RunFleet.ts"
import { newRunId } from "./RunId.ts"
import type { RunSummaryJson } from "./RunJson.ts"
import { plan, type RunInput } from "./RunPlan.ts"

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

const shownNames = (names: ReadonlyArray<string>): string =>
  names.slice(0, 5).join(", ") + (names.length > 5 ? ", …" : "")

/** Lines of other workflows are stored for whoever serves those, and that is said before they are. */
const tellOthers = (lines: ReadonlyArray<JobLine>, served: ReadonlyArray<string>) => {
  const others = lines.filter(({ submission }) => !served.includes(submission.workflowType))
  if (others.length === 0) return Effect.void
  const shown = shownNames(Array.from(new Set(others.map(({ submission }) => submission.workflowType))))
  return talk(
    `${others.length} ${others.length === 1 ? "line names another workflow" : "lines name other workflows"} (${shown}) than ${shownNames(served)}: stored for a host that serves it, not worked or waited for here.`
  )
}

const endWith = (exitCode: number) =>
  exitCode === exit.ok ? Effect.void : Effect.fail(new Ended({ exitCode }))

export const run = Effect.fnUntraced(function* (input: RunInput) {
  const planned = yield* plan(input)
  const names = planned.workflows.map(({ name }) => name)
  const store = yield* storeSetting
  const file = yield* readJobs(planned.jobs, planned.workflow)
  if (file !== null) yield* refuseBadLines(file, input.skipInvalid)
  const given = file === null ? null : file.jobs
  const lines = given !== null && input.fresh ? freshKeys(given, yield* newRunId) : given
  if (lines !== null) yield* tellOthers(lines, names)

  const from = started({ store, config: Option.getOrUndefined(yield* ConfigFlag) })
  const type = (words: ReadonlyArray<string>) => commandLine(from, store.value, words)
  // A file's lines answer for themselves when they are given again; under fresh keys they would run twice.
  const again = planned.jobs === undefined || planned.jobs === "-" || input.fresh ? [] : [planned.jobs]
  const named = Option.match(input.workflow, { onNone: () => [], onSome: (name) => ["--workflow", name] })
  const slots = Option.match(input.slots, { onNone: () => [], onSome: (count) => ["--slots", String(count)] })
  const command = planned.command.length === 0 ? [] : ["--", ...planned.command]
  const goOn = commandLine(from, store.value, ["run", ...again, ...named, ...slots], command)
  const next = (summary: RunSummaryJson, { example, parked }: Look): ReadonlyArray<string> => {
    if (parked !== null) return [type(["show", parked]), type(["settle", parked, "--done"]), goOn]
    if (summary.unfinished > 0) return [goOn]
    if (example === null) return []
    if (summary.dead_lettered > 0) return [type(["dlq", "list"]), type(["dlq", "show", example])]
    return [type(["show", example]), type(["events", "--job", example])]
  }
  const summary = yield* runFleet({
    title: shownNames(names),
    workflows: planned.workflows,
    store: store.value,
    slots: planned.slots,
    drainMillis: planned.drainMillis,
    fleet: planned.fleet,
    otlp: yield* otlpSetting(Option.getOrUndefined(input.otlp)),
    lines,
    skipped: file?.badCount ?? 0,
    next
  })
  yield* endWith(summary.exit_code)
})
