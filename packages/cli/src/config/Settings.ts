/**
 * Every value that a fleet of this folder runs with, and where it comes from: a flag wins over the environment, that over the configuration,
 * and that over the default.
 */
import { resolve } from "node:path"
import { defaults, type WorkflowPolicy } from "@muster/core"
import { brief } from "../output/Duration.ts"
import { millisOf } from "./ConfigSchema.ts"
import type { Configuration, ConfiguredWorkflow } from "./Configuration.ts"
import type { PolicyConfig, Time } from "./FleetConfig.ts"
import { pathText } from "./Problems.ts"

export interface Origin {
  readonly kind: "default" | "file" | "environment" | "flag"
  /** The file, the variable or the flag; null for a default. */
  readonly name: string | null
}

export interface Setting {
  /** As in `workflows.review.silence`. */
  readonly path: string
  /** JSON data; times in milliseconds. */
  readonly value: unknown
  /** For people. */
  readonly text: string
  readonly from: Origin
}

export const byDefault: Origin = { kind: "default", name: null }

/** Only its names: values may be secrets. */
const namesOf = (env: Readonly<Record<string, string>> | undefined): ReadonlyArray<string> =>
  Object.keys(env ?? {})

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : value === null ? "none" : JSON.stringify(value)

/** The name of a plugin's part, or the part's own name. */
const nameOf = (part: string | { readonly name: string }): string =>
  typeof part === "string" ? part : part.name

class Listing {
  readonly settings: Array<Setting> = []
  readonly #file: Origin

  constructor(file: string | null) {
    this.#file = file === null ? byDefault : { kind: "file", name: file }
  }

  /** The first value that somebody has said. */
  value(path: ReadonlyArray<string>, otherwise: unknown, ...said: ReadonlyArray<unknown>): void {
    const given = said.find((one) => one !== undefined)
    const value = given ?? otherwise
    this.settings.push({
      path: pathText(path),
      value,
      text: textOf(value),
      from: given === undefined ? byDefault : this.#file
    })
  }

  time(
    path: ReadonlyArray<string>,
    otherwise: number | null,
    ...said: ReadonlyArray<Time | undefined>
  ): void {
    const given = said.find((one) => one !== undefined)
    const value = given === undefined ? otherwise : millisOf(given)
    this.settings.push({
      path: pathText(path),
      value,
      text: value === null ? "none" : brief(value),
      from: given === undefined ? byDefault : this.#file
    })
  }

  /** What the file alone can have said. */
  said(path: ReadonlyArray<string>, value: unknown, text = textOf(value)): void {
    this.settings.push({ path: pathText(path), value, text, from: this.#file })
  }
}

const phases = ["prepare", "sentinel", "work", "verify", "land", "clean"] as const

const listPolicies = (
  list: Listing,
  at: ReadonlyArray<string>,
  own: PolicyConfig,
  shared: PolicyConfig
): void => {
  const workspace = own.workspace ?? shared.workspace
  const lander = own.lander ?? shared.lander
  list.value([...at, "workspace"], "none", workspace === undefined ? undefined : nameOf(workspace))
  list.value([...at, "gates"], [], own.gates?.map(nameOf), shared.gates?.map(nameOf))
  list.value([...at, "lander"], "keep", lander === undefined ? undefined : nameOf(lander))
  list.value([...at, "maxRetries"], defaults.maxRetries, own.maxRetries, shared.maxRetries)
  list.time([...at, "silence"], defaults.silenceMillis, own.silence, shared.silence)
  list.time([...at, "silenceCap"], capOf(own, shared), own.silenceCap, shared.silenceCap)
  list.time(
    [...at, "progressWindow"],
    capOf(own, shared),
    own.progressWindow ?? own.silenceCap,
    shared.progressWindow ?? shared.silenceCap
  )
  list.time([...at, "inputLimit"], defaults.inputMillis, own.inputLimit, shared.inputLimit)
  list.value([...at, "unknownOutcome"], "ask", own.unknownOutcome, shared.unknownOutcome)
  for (const phase of phases)
    list.time(
      [...at, "deadlines", phase],
      defaults.phaseMillis[phase],
      own.deadlines?.[phase],
      shared.deadlines?.[phase]
    )
  const { breaker, restartBudget } = defaults
  list.value(
    [...at, "breaker", "failures"],
    breaker.failures,
    own.breaker?.failures,
    shared.breaker?.failures
  )
  list.value(
    [...at, "breaker", "attempts"],
    breaker.attempts,
    own.breaker?.attempts,
    shared.breaker?.attempts
  )
  list.time([...at, "breaker", "window"], breaker.windowMillis, own.breaker?.window, shared.breaker?.window)
  list.time([...at, "breaker", "probe"], breaker.probeMillis, own.breaker?.probe, shared.breaker?.probe)
  const budget = restartBudget.restarts
  list.value([...at, "restarts", "restarts"], budget, own.restarts?.restarts, shared.restarts?.restarts)
  const window = restartBudget.windowMillis
  list.time([...at, "restarts", "window"], window, own.restarts?.window, shared.restarts?.window)
}

/** A silence that is longer than the cap's default is wanted, not an oversight: the cap goes along. */
export const capOf = (own: PolicyConfig, shared: PolicyConfig): number => {
  const silence = own.silence ?? shared.silence
  return Math.max(defaults.silenceCapMillis, silence === undefined ? 0 : millisOf(silence))
}

const policyTexts = (policy: Omit<WorkflowPolicy, "workspace" | "gates" | "lander">) => ({
  maxRetries: policy.maxRetries,
  silence: policy.silenceMillis,
  unknownOutcome: policy.unknownOutcome
})

const listWorkflow = (list: Listing, one: ConfiguredWorkflow, shared: PolicyConfig, folder: string): void => {
  const at = ["workflows", one.name]
  if (one._tag === "Made") {
    list.said(at, policyTexts(one.workflow.policy), "made by Workflow.make: it says the rest itself")
    return
  }
  if (one._tag === "Module") {
    list.said(at, null, "a module of its own: loaded by who runs or checks it")
    return
  }
  if (one._tag === "Function") list.said([...at, "run"], "function", "an async function")
  else {
    const { command, cwd, env, requireResult, stdin, stopGrace } = one.config
    list.said([...at, "command"], command, command.join(" "))
    list.value([...at, "stdin"], "payload", stdin)
    list.value([...at, "requireResult"], false, requireResult)
    list.value([...at, "cwd"], folder, cwd === undefined ? undefined : resolve(folder, cwd))
    if (env !== undefined) list.said([...at, "env"], namesOf(env), namesOf(env).join(" "))
    list.time([...at, "stopGrace"], defaults.stopGraceMillis, stopGrace)
  }
  listPolicies(list, at, one.config, shared)
}

/** All settings but the store, whose place a flag and the environment may say as well. */
export const settingsOf = (
  configuration: Configuration,
  file: string | null,
  folder: string
): ReadonlyArray<Setting> => {
  const { codes, config, gates, workflows } = configuration
  const list = new Listing(file)
  list.value(["slots"], defaults.slots, config.slots)
  list.time(["drain"], 0, config.drain)
  list.time(["stop"], defaults.hostStopMillis, config.stop)
  list.time(["lease", "lease"], defaults.leaseMillis, config.lease?.lease)
  list.time(["lease", "renewal"], defaults.renewalMillis, config.lease?.renewal)
  const { bytes, jobDays, jobs, logBytes, logDays } = defaults.retention
  list.time(["retention", "finished"], jobDays * 86_400_000, config.retention?.finished)
  list.value(["retention", "jobs"], jobs, config.retention?.jobs)
  list.value(["retention", "bytes"], bytes, config.retention?.bytes)
  list.time(["retention", "logAge"], logDays * 86_400_000, config.retention?.logAge)
  list.value(["retention", "logBytes"], logBytes, config.retention?.logBytes)
  list.value(["floors", "disk"], null, config.floors?.disk)
  list.value(["floors", "memory"], null, config.floors?.memory)
  list.value(["logs"], true, config.logs)
  list.value(["drift"], "audit", config.drift)
  if (config.declares !== undefined) {
    const keys = config.declares.map(({ key }) => key)
    list.said(["declares"], keys, keys.join(", "))
  }
  list.value(["reflects"], true, config.reflects)
  list.value(["documents"], folder, documentsOf(configuration, folder))
  list.value(["workspaces", "root"], resolve(folder, workspaceRoot), rootOf(configuration, folder))
  list.value(["workspaces", "keep"], "never", config.workspaces?.keep)
  if (config.plugins !== undefined)
    list.said(
      ["plugins"],
      config.plugins.map(({ name, version }) => ({ name, version })),
      config.plugins.map(({ name, version }) => `${name} ${version}`).join(", ")
    )
  for (const gate of gates) {
    const command = gate._tag === "Made" ? null : gate.config.command
    list.said(["gates", gate.name], { command }, command?.join(" ") ?? "made by the configuration")
  }
  for (const { code, ...row } of codes)
    for (const [key, value] of Object.entries(row)) list.said(["codes", code, key], value)
  for (const one of workflows) listWorkflow(list, one, config.defaults ?? {}, folder)
  return list.settings
}

/** Where documents are looked for; undefined where nobody says. */
export const documentsOf = ({ config }: Configuration, folder: string): string | undefined =>
  config.documents === undefined ? undefined : resolve(folder, config.documents)

/** Where the folders of the workspace `directory` are when nobody says. */
export const workspaceRoot = ".muster/workspaces"

export const rootOf = ({ config }: Configuration, folder: string): string | undefined =>
  config.workspaces?.root === undefined ? undefined : resolve(folder, config.workspaces.root)
