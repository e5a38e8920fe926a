/**
 * What a run is to do: by its command line, by the configuration of the folder at hand, or by both. The command line wins.
 */
import { defaults, limits, type Workflow } from "@muster/core"
import type { FleetOptions } from "@muster/fleet"
import { Effect, Option, Stdio } from "effect"
import { millisOf } from "../config/ConfigSchema.ts"
import { configured, type Configured } from "../config/Configured.ts"
import {
  fleetOptionsOf,
  processWorkflow,
  type WorkflowFlags,
  workflowsOf
} from "../config/ConfiguredFleet.ts"
import { UsageError } from "../UsageError.ts"
import { parseMillis } from "./DurationText.ts"
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
  readonly stdin: Option.Option<"payload" | "lines">
  readonly unknownOutcome: Option.Option<"ask" | "rerun" | "fail">
  readonly requireResult: boolean
  readonly maxRetries: Option.Option<number>
  readonly silence: Option.Option<string>
  readonly otlp: Option.Option<string>
}

interface RunPlan {
  readonly jobs: string | undefined
  /** What stands after `--`; empty for a run of the configuration's workflows. */
  readonly command: ReadonlyArray<string>
  /** Served by this run. */
  readonly workflows: ReadonlyArray<Workflow.Any>
  /** The workflow of lines that name none; null where they must. */
  readonly workflow: string | null
  readonly slots: number
  readonly drainMillis: number
  /** What else the host is started with. */
  readonly fleet: Omit<FleetOptions, "workflows" | "slots" | "drain">
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
  if (dashes !== -1 && (command[0] === undefined || command[0] === "")) {
    return yield* usage(
      "There is no command to work with after --.",
      "As in: muster run jobs.jsonl -- ./agent"
    )
  }
  return { jobs: before[0], command }
})

const within = Effect.fnUntraced(function* (
  name: string,
  value: Option.Option<number>,
  bounds: { readonly from: number; readonly to: number }
) {
  if (Option.isNone(value)) return undefined
  if (value.value >= bounds.from && value.value <= bounds.to) return value.value
  return yield* usage(`--${name} must be from ${bounds.from} to ${bounds.to}.`)
})

const largestSlots = 10_000
const largestDrainSeconds = 86_400

const silenceOf = Effect.fnUntraced(function* (silence: string | undefined) {
  if (silence === undefined) return undefined
  const millis = parseMillis(silence)
  if (millis !== undefined && millis > 0) return millis
  return yield* usage(`--silence ${silence} is no length of time.`, "Write it as 500ms, 30s, 5m or 1h.")
})

const flagsOf = Effect.fnUntraced(function* (input: RunInput) {
  const maxRetries = yield* within("max-retries", input.maxRetries, { from: 0, to: limits.maxRetries })
  const silence = yield* silenceOf(Option.getOrUndefined(input.silence))
  const flags: WorkflowFlags = {
    ...Option.match(input.stdin, { onNone: () => ({}), onSome: (stdin) => ({ stdin }) }),
    ...Option.match(input.unknownOutcome, { onNone: () => ({}), onSome: (one) => ({ unknownOutcome: one }) }),
    ...(input.requireResult ? { requireResult: true } : {}),
    ...(maxRetries === undefined ? {} : { maxRetries }),
    ...(silence === undefined ? {} : { silence })
  }
  return flags
})

/** A command makes a workflow of its own, with what the configuration says of all. */
const ofCommand = Effect.fnUntraced(function* (
  input: RunInput,
  command: ReadonlyArray<string>,
  found: Configured | null
) {
  const name = Option.getOrElse(input.workflow, () => WorkflowName.ofCommand(command))
  if (name.trim() !== name || name === "" || name.length > limits.workflowTypeLength) {
    return yield* usage(`"${name}" can't be the name of a workflow.`)
  }
  const made = yield* processWorkflow(
    name,
    { command },
    { flags: yield* flagsOf(input), folder: ".", shared: found?.configuration.config.defaults ?? {} }
  )
  return { workflow: name, workflows: [made] }
})

const ofConfiguration = Effect.fnUntraced(function* (input: RunInput, found: Configured | null) {
  if (found === null || found.configuration.workflows.length === 0) {
    const why = found === null ? "" : `, and ${found.name} has no workflows`
    return yield* usage(
      `There is no command to work with${why}.`,
      "It comes after --: muster run jobs.jsonl -- ./agent; or write a configuration: muster init"
    )
  }
  const names = found.configuration.workflows.map(({ name }) => name)
  const wanted = Option.getOrNull(input.workflow)
  if (wanted !== null && !names.includes(wanted)) {
    return yield* usage(`${found.name} has no workflow "${wanted}".`, `It has ${names.join(", ")}.`)
  }
  const [only = null] = names
  return {
    workflow: wanted ?? (names.length === 1 ? only : null),
    workflows: yield* workflowsOf(found, wanted, yield* flagsOf(input))
  }
})

export const plan = Effect.fnUntraced(function* (input: RunInput) {
  const { command, jobs } = yield* splitWords(input)
  const found = yield* configured
  const config = found?.configuration.config
  const slots = yield* within("slots", input.slots, { from: 1, to: largestSlots })
  const drain = yield* within("drain", input.drain, { from: 0, to: largestDrainSeconds })
  const served = yield* command.length > 0 ? ofCommand(input, command, found) : ofConfiguration(input, found)
  const planned: RunPlan = {
    ...served,
    jobs,
    command,
    slots: slots ?? config?.slots ?? defaults.slots,
    drainMillis: drain === undefined ? millisOf(config?.drain ?? 0) : drain * 1_000,
    fleet: found === null ? {} : fleetOptionsOf(found)
  }
  return planned
})
