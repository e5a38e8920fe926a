/**
 * A configuration that has been looked at: every problem is found, not only the first.
 */
import {
  type CatalogueRow,
  CatalogueRow as CatalogueRowSchema,
  defaults,
  type Gate,
  isRowCode,
  type Workflow
} from "@muster/core"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as ConfigSchema from "./ConfigSchema.ts"
import type {
  CommandGateConfig,
  FleetConfig,
  FunctionWorkflow,
  PolicyConfig,
  ProcessWorkflow
} from "./FleetConfig.ts"
import { check, type Problem, pathText, shown } from "./Problems.ts"

export type ConfiguredWorkflow =
  | { readonly _tag: "Process"; readonly name: string; readonly config: ProcessWorkflow }
  | { readonly _tag: "Function"; readonly name: string; readonly config: FunctionWorkflow }
  | { readonly _tag: "Made"; readonly name: string; readonly workflow: Workflow.Any }
  | { readonly _tag: "Module"; readonly name: string; readonly load: () => unknown }

export type ConfiguredGate =
  | { readonly _tag: "Command"; readonly name: string; readonly config: CommandGateConfig }
  | { readonly _tag: "Made"; readonly name: string; readonly gate: Gate }

/** The whole of it, each part by its kind. */
export interface Configuration {
  readonly config: Omit<FleetConfig, "workflows" | "gates" | "codes">
  readonly workflows: ReadonlyArray<ConfiguredWorkflow>
  readonly gates: ReadonlyArray<ConfiguredGate>
  readonly codes: ReadonlyArray<CatalogueRow>
}

type Checked<A> = Result.Result<A, ReadonlyArray<Problem>>

const problem = (path: ReadonlyArray<PropertyKey>, detail: string): Checked<never> =>
  Result.fail([{ path: pathText(path), detail }])

const isMade = (value: unknown): value is Workflow.Any =>
  Predicate.isObject(value) &&
  "runs" in value &&
  "uses" in value &&
  "policy" in value &&
  "settleResult" in value

export const workflowOf = (name: string, value: unknown): Checked<ConfiguredWorkflow> => {
  const path = ["workflows", name]
  if (!ConfigSchema.isWorkflowName(name)) return problem(path, "expected another name for a workflow")
  if (typeof value === "function") {
    // a function of nothing: what it answers is looked at when it is called
    return Result.succeed({ _tag: "Module", name, load: value as () => unknown })
  }
  if (isMade(value)) {
    if (value.name === name) return Result.succeed({ _tag: "Made", name, workflow: value })
    return problem(path, `expected the workflow's own name, ${shown(value.name)}, as its key`)
  }
  if (Predicate.isObject(value) && "run" in value)
    return Result.map(check(ConfigSchema.FunctionWorkflow, value, path), () => ({
      _tag: "Function",
      name,
      // the schema has just said so
      config: value as unknown as FunctionWorkflow
    }))
  if (Predicate.isObject(value))
    return Result.map(check(ConfigSchema.ProcessWorkflow, value, path), () => ({
      _tag: "Process",
      name,
      // the schema has just said so
      config: value as unknown as ProcessWorkflow
    }))
  return problem(
    path,
    `expected a process { command }, a function { run }, Workflow.make or () => import(…), got ${shown(value)}`
  )
}

const gateOf = (name: string, value: unknown): Checked<ConfiguredGate> => {
  const path = ["gates", name]
  if (Predicate.isObject(value) && typeof value["check"] === "function")
    return value["name"] === name
      ? // told by what it can do, as the schema tells it
        Result.succeed({ _tag: "Made", name, gate: value as unknown as Gate })
      : problem(path, `expected the gate's own name, ${shown(value["name"])}, as its key`)
  return Result.map(check(ConfigSchema.CommandGateConfig, value, path), () => ({
    _tag: "Command",
    name,
    // the schema has just said so
    config: value as CommandGateConfig
  }))
}

const row = Schema.toType(CatalogueRowSchema)

const codeOf = (code: string, value: unknown): Checked<CatalogueRow> => {
  const path = ["codes", code]
  if (!isRowCode(code)) return problem(path, "expected an error code, a prefix like EXT_*, or *, as the key")
  if (!Predicate.isObject(value)) return problem(path, `expected an object, got ${shown(value)}`)
  return check(row, { ...value, code }, path)
}

const partition = <A>(
  entries: object | undefined,
  each: (name: string, value: unknown) => Checked<A>
): { readonly good: ReadonlyArray<A>; readonly bad: ReadonlyArray<Problem> } => {
  const results = Object.entries(entries ?? {}).map(([name, value]) => each(name, value))
  return {
    good: results.flatMap((one) => (Result.isSuccess(one) ? [one.success] : [])),
    bad: results.flatMap((one) => (Result.isFailure(one) ? one.failure : []))
  }
}

/** Names that a workflow uses and nobody brings; plugins may bring any, so with plugins this is left to the start. */
const unknownNames = (
  of: string,
  { gates = [], lander, workspace }: PolicyConfig,
  known: ReadonlySet<string>
): ReadonlyArray<Problem> => [
  ...gates.flatMap((gate, index) =>
    typeof gate !== "string" || known.has(gate)
      ? []
      : [
          {
            path: `${of}.gates[${index}]`,
            detail: `expected the name of a gate, got ${shown(gate)}; known: ${[...known].join(", ") || "none"}`
          }
        ]
  ),
  ...(typeof workspace !== "string" || ["none", "directory"].includes(workspace)
    ? []
    : [
        {
          path: `${of}.workspace`,
          detail: `expected "none", "directory" or the name of a plugin's, got ${shown(workspace)}`
        }
      ]),
  ...(typeof lander !== "string" || lander === "keep"
    ? []
    : [{ path: `${of}.lander`, detail: `expected "keep" or the name of a plugin's, got ${shown(lander)}` }])
]

/** A breaker that looks at fewer attempts than it wants failures never opens. */
const deafBreaker = (of: string, own: PolicyConfig, shared: PolicyConfig): ReadonlyArray<Problem> => {
  const { attempts, failures } = { ...defaults.breaker, ...shared.breaker, ...own.breaker }
  return own.breaker === undefined || failures <= attempts
    ? []
    : [
        {
          path: `${of}.breaker.failures`,
          detail: `expected at most breaker.attempts, which is ${attempts}, got ${failures}`
        }
      ]
}

/** Looks at what a file says. */
export const configurationOf = (value: unknown): Checked<Configuration> => {
  const top = check(ConfigSchema.FleetConfig, value, [])
  const given: Record<string, unknown> = Predicate.isObject(value) ? value : {}
  const part = (key: string): object | undefined => (Predicate.isObject(given[key]) ? given[key] : undefined)
  const workflows = partition(part("workflows"), workflowOf)
  const gates = partition(part("gates"), gateOf)
  const codes = partition(part("codes"), codeOf)
  // looked at by the schema, as far as it let it through
  const config = given as Configuration["config"]
  const known = new Set(Object.keys(part("gates") ?? {}))
  const hasPlugins = Array.isArray(config.plugins) && config.plugins.length > 0
  const shared = Result.isSuccess(top) ? (config.defaults ?? {}) : {}
  const misfits = (of: string, own: PolicyConfig) => [
    ...(hasPlugins ? [] : unknownNames(of, own, known)),
    ...deafBreaker(of, own, shared)
  ]
  const names = [
    ...misfits("defaults", shared),
    ...workflows.good.flatMap((one) =>
      one._tag === "Made" || one._tag === "Module"
        ? []
        : misfits(pathText(["workflows", one.name]), one.config)
    )
  ]
  const problems = [
    ...(Result.isFailure(top) ? top.failure : []),
    ...workflows.bad,
    ...gates.bad,
    ...codes.bad,
    ...names
  ]
  return problems.length > 0
    ? Result.fail(problems)
    : Result.succeed({ config, workflows: workflows.good, gates: gates.good, codes: codes.good })
}

/** The retries of a job whose submission doesn't say; undefined where the configuration doesn't either, or doesn't have the workflow at hand. */
export const maxRetriesOf = ({ config, workflows }: Configuration, name: string): number | undefined => {
  const one = workflows.find((workflow) => workflow.name === name)
  if (one?._tag === "Made") return one.workflow.policy.maxRetries
  if (one === undefined || one._tag === "Module") return undefined
  return one.config.maxRetries ?? config.defaults?.maxRetries
}

/** Whether the configuration has workflows, and none of that name. One that has none, or has plugins, says nothing of which there may be. */
export const lacks = ({ config, workflows }: Configuration, name: string): boolean =>
  workflows.length > 0 &&
  (config.plugins ?? []).length === 0 &&
  !workflows.some((workflow) => workflow.name === name)
