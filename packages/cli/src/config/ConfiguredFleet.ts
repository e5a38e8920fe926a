/**
 * A configuration as a fleet takes it: its workflows, made, and the options of its host.
 */
import { resolve } from "node:path"
import { type ConfigInvalid, type Gate, type Plugin, Workflow } from "@muster/core"
import { CommandGate, DirectoryWorkspaces, type FleetOptions, ProcessRunner } from "@muster/fleet"
import { type PromiseAgent, workflow } from "@muster/fleet/promise"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { millisOf } from "./ConfigSchema.ts"
import type { ConfiguredGate } from "./Configuration.ts"
import type { Configured } from "./Configured.ts"
import type { DeadlinePhase, PolicyConfig, ProcessWorkflow, Time } from "./FleetConfig.ts"
import { loaded, type LoadedWorkflow } from "./Modules.ts"
import { invalid } from "./Problems.ts"
import { capOf, documentsOf, rootOf, workspaceRoot } from "./Settings.ts"

/** What the command line says of the workflows that it starts; it wins. */
export interface WorkflowFlags {
  readonly stdin?: "payload" | "lines"
  readonly requireResult?: boolean
  readonly maxRetries?: number
  /** In milliseconds. */
  readonly silence?: number
  readonly unknownOutcome?: "ask" | "rerun" | "fail"
}

const timed = <Key extends string>(key: Key, time: Time | undefined): { readonly [K in Key]?: number } =>
  // an object with the one key, or none
  (time === undefined ? {} : { [key]: millisOf(time) }) as { readonly [K in Key]?: number }

const given = <Key extends string, Value>(
  key: Key,
  value: Value | undefined
): { readonly [K in Key]?: Value } =>
  // as above
  (value === undefined ? {} : { [key]: value }) as { readonly [K in Key]?: Value }

const deadlinesOf = (deadlines: PolicyConfig["deadlines"] = {}): { readonly [P in DeadlinePhase]?: number } =>
  Object.fromEntries(Object.entries(deadlines).map(([phase, time]) => [phase, millisOf(time)]))

/** The policies of one workflow: what the flags, it itself, and the configuration's defaults say, the first that does. */
const policiesOf = (
  own: PolicyConfig,
  shared: PolicyConfig,
  flags: WorkflowFlags
): Workflow.Policies<never> => {
  const breaker = { ...shared.breaker, ...own.breaker }
  const restarts = { ...shared.restarts, ...own.restarts }
  const silence = flags.silence ?? own.silence ?? shared.silence
  const cap = own.silenceCap ?? shared.silenceCap
  return {
    ...given("workspace", own.workspace ?? shared.workspace),
    ...given("gates", own.gates ?? shared.gates),
    ...given("lander", own.lander ?? shared.lander),
    ...given("maxRetries", flags.maxRetries ?? own.maxRetries ?? shared.maxRetries),
    ...timed("silence", silence),
    silenceCap: cap === undefined ? capOf({ ...given("silence", silence) }, {}) : millisOf(cap),
    ...timed("progressWindow", own.progressWindow ?? shared.progressWindow),
    ...timed("inputLimit", own.inputLimit ?? shared.inputLimit),
    ...given("unknownOutcome", flags.unknownOutcome ?? own.unknownOutcome ?? shared.unknownOutcome),
    deadlines: deadlinesOf({ ...shared.deadlines, ...own.deadlines }),
    breaker: {
      ...given("failures", breaker.failures),
      ...given("attempts", breaker.attempts),
      ...timed("window", breaker.window),
      ...timed("probe", breaker.probe)
    },
    restarts: { ...given("restarts", restarts.restarts), ...timed("window", restarts.window) }
  }
}

/** A workflow of processes. */
export const processWorkflow = Effect.fnUntraced(function* (
  name: string,
  config: ProcessWorkflow,
  {
    flags,
    folder,
    shared
  }: { readonly flags: WorkflowFlags; readonly folder: string; readonly shared: PolicyConfig }
) {
  const runner = yield* ProcessRunner.make({
    command: config.command,
    ...given("stdin", flags.stdin ?? config.stdin),
    ...given("requireResult", flags.requireResult ?? config.requireResult),
    cwd: resolve(folder, config.cwd ?? "."),
    ...given("env", config.env),
    ...timed("stopGraceMillis", config.stopGrace)
  })
  return Workflow.make(name, {
    payload: Schema.Unknown,
    result: Schema.Unknown,
    runner,
    ...policiesOf(config, shared, flags)
  })
})

const made = Effect.fnUntraced(function* (
  one: LoadedWorkflow,
  { configuration, folder }: Configured,
  flags: WorkflowFlags
) {
  const shared = configuration.config.defaults ?? {}
  if (one._tag === "Made") return one.workflow
  if (one._tag === "Process") return yield* processWorkflow(one.name, one.config, { flags, folder, shared })
  // the type of its payload is its author's word, as for any workflow without a schema
  const run = one.config.run as (payload: unknown, agent: PromiseAgent) => unknown
  return workflow(one.name, { run, ...policiesOf(one.config, shared, flags) })
})

/** Its workflows, their modules loaded; with a name that one alone. */
export const workflowsOf = (
  configured: Configured,
  name: string | null,
  flags: WorkflowFlags
): Effect.Effect<ReadonlyArray<Workflow.Any>, ConfigInvalid> =>
  Effect.forEach(
    configured.configuration.workflows.filter((one) => name === null || one.name === name),
    (one): Effect.Effect<Workflow.Any, ConfigInvalid> =>
      loaded(one).pipe(
        Effect.mapError((problems) => invalid(configured.name, problems)),
        Effect.flatMap((whole) => made(whole, configured, flags))
      )
  )

const gateOf = (one: ConfiguredGate, folder: string): Gate => {
  if (one._tag === "Made") return one.gate
  const { command, cwd, env, timeout } = one.config
  return CommandGate.make({
    name: one.name,
    command,
    cwd: resolve(folder, cwd ?? "."),
    ...timed("timeoutMillis", timeout),
    ...given("env", env)
  })
}

/** What the configuration itself contributes to its fleet, under its own name. */
const pluginOf = ({ configuration, folder, name }: Configured): Plugin.Plugin => ({
  name,
  version: "0",
  make: Effect.sync(() => ({
    gates: configuration.gates.map((one) => gateOf(one, folder)),
    workspaces: [
      DirectoryWorkspaces.make({
        root: rootOf(configuration, folder) ?? resolve(folder, workspaceRoot),
        ...given("keep", configuration.config.workspaces?.keep)
      })
    ]
  }))
})

/** What the host is started with beside its workflows, its slots and its drain. */
export const fleetOptionsOf = (
  configured: Configured
): Omit<FleetOptions, "workflows" | "slots" | "drain"> => {
  const { configuration, folder } = configured
  const { codes, config } = configuration
  const { lease, retention } = config
  return {
    codes,
    plugins: [pluginOf(configured), ...(config.plugins ?? [])],
    ...timed("stop", config.stop),
    ...given("drift", config.drift),
    ...given("declares", config.declares),
    ...given("reflects", config.reflects),
    ...given("floors", config.floors),
    ...given("logs", config.logs),
    documents: documentsOf(configuration, folder) ?? folder,
    ...given(
      "lease",
      lease === undefined ? undefined : { lease: millisOf(lease.lease), renewal: millisOf(lease.renewal) }
    ),
    ...given(
      "retention",
      retention === undefined
        ? undefined
        : {
            ...timed("finished", retention.finished),
            ...given("jobs", retention.jobs),
            ...given("bytes", retention.bytes),
            ...timed("logAge", retention.logAge),
            ...given("logBytes", retention.logBytes)
          }
    )
  }
}
