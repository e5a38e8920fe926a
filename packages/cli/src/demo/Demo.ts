/**
 * `muster demo`: a run with everything in it that a fleet is for, over a store of its own.
 */
import { exit, Workflow } from "@muster/core"
import { ProcessRunner } from "@muster/fleet"
import { Console, Effect, Option, Schema } from "effect"
import { Ended } from "../Ended.ts"
import { JsonFlag, StoreFlag } from "../GlobalFlags.ts"
import { freshKeys } from "../run/FreshKeys.ts"
import { commandLine, started } from "../run/Invocation.ts"
import { runFleet } from "../run/RunFleet.ts"
import { newRunId } from "../run/RunId.ts"
import { agentScript, demoLines } from "./DemoJobs.ts"

const demoStore = ".muster/demo.db"
const slots = 4
/** Short, so that the silent one is found while somebody watches; long enough for a busy machine to start a process. */
const silence = "2 seconds"

const intro = (store: string): ReadonlyArray<string> => [
  `${slots} slots, three kinds of agents, each job a process of its own; the store is ${store}.`,
  "One agent fails twice and recovers, one falls silent and is recovered, one gets a file that is no text.",
  ""
]

const workflow = Effect.fnUntraced(function* (name: string) {
  const runner = yield* ProcessRunner.make({
    command: [process.execPath, agentScript(name)],
    requireResult: true
  })
  return Workflow.make(name, { payload: Schema.Unknown, result: Schema.Unknown, runner, silence })
})

export const demo = Effect.fnUntraced(function* () {
  const from = started()
  // the demo never writes into a store that was meant for work
  const store = Option.getOrElse(yield* StoreFlag, () => demoStore)
  const { bad, flaky, lines, silent } = demoLines(from.cwd, store)
  const workflows = yield* Effect.forEach(["count", "check", "summarise"], workflow)
  if (!(yield* JsonFlag)) yield* Console.log(intro(store).join("\n"))

  const type = (words: ReadonlyArray<string>, why: string) => `${commandLine(from, store, words)}   # ${why}`
  const summary = yield* runFleet({
    title: "muster demo",
    workflows,
    store,
    slots,
    drainMillis: 0,
    // a second demo is a wanted second run
    lines: freshKeys(lines, yield* newRunId),
    skipped: 0,
    next: (_summary, { jobOf }) => [
      type(["show", jobOf(flaky) ?? "1"], "failed twice, then landed"),
      type(["events", "--job", jobOf(silent) ?? "2"], "fell silent and was recovered"),
      type(["dlq", "show", jobOf(bad) ?? "3"], "why one ended in the dead-letter queue")
    ]
  })
  const isAsPlanned = summary.completed === summary.jobs - 1 && summary.dead_lettered === 1
  yield* isAsPlanned ? Effect.void : Effect.fail(new Ended({ exitCode: exit.incomplete }))
})
