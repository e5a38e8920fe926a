/**
 * Loads plugins in order, unloads them in reverse (by their scope), and finds what workflows name. A clash of names is an error that names
 * both plugins; a name that nobody contributes is one that says where it was asked for.
 */
import {
  type CatalogueRow,
  ConfigInvalid,
  type Facet,
  type Gate,
  type Lander,
  type Observer,
  type Plugin,
  type PluginFailed,
  type Runner,
  type Workflow,
  type Workspaces
} from "@muster/core"
import { Effect, type Scope } from "effect"
import * as FunctionRunner from "../adapters/FunctionRunner.ts"
import { checkFacet } from "./FacetCheck.ts"
import { fence } from "./Fence.ts"
import type { ServedWorkflow } from "./ServedWorkflow.ts"

/** A thing with the plugin that brought it. */
export interface Registered<A> {
  readonly item: A
  readonly by: string
}

/** Everything that was contributed, by name. */
export interface Loaded {
  readonly served: ReadonlyMap<string, ServedWorkflow>
  readonly observers: ReadonlyArray<Observer>
  readonly facets: ReadonlyArray<Registered<Facet>>
  readonly codes: ReadonlyArray<CatalogueRow>
}

type Named = { readonly name: string } | { readonly key: string }

/** Facets go by their key, everything else by its name. */
const nameOf = (item: Named): string => ("key" in item ? item.key : item.name)

/** Named things of one kind, each with the plugin that brought it. */
class Registry<A extends Named> {
  private readonly entries = new Map<string, Registered<A>>()
  private readonly kind: string

  constructor(kind: string) {
    this.kind = kind
  }

  add(item: A, by: string): Effect.Effect<void, ConfigInvalid> {
    const name = nameOf(item)
    const taken = this.entries.get(name)
    if (taken !== undefined) {
      return Effect.fail(
        new ConfigInvalid({
          path: `plugins["${by}"].${this.kind}["${name}"]`,
          detail: `${taken.by} contributes a ${this.kind} of this name already; rename one of them`
        })
      )
    }
    this.entries.set(name, { item, by })
    return Effect.void
  }

  /** What a workflow names, or the thing itself where it gives one. */
  resolve(wanted: string | A, workflow: string): Effect.Effect<A, ConfigInvalid> {
    if (typeof wanted !== "string") return Effect.succeed(wanted)
    const found = this.entries.get(wanted)
    if (found !== undefined) return Effect.succeed(found.item)
    const known = [...this.entries.keys()].map((name) => `"${name}"`).join(", ")
    return Effect.fail(
      new ConfigInvalid({
        path: `workflows["${workflow}"].${this.kind}`,
        detail: `nobody contributes a ${this.kind} named "${wanted}"; known: ${known === "" ? "none" : known}`
      })
    )
  }

  registered(): ReadonlyArray<Registered<A>> {
    return [...this.entries.values()]
  }

  items(): ReadonlyArray<A> {
    return this.registered().map(({ item }) => item)
  }
}

/** Loads the plugins in this scope and resolves the workflows, the host's own and the contributed ones. */
export const load = Effect.fnUntraced(function* <R>(
  plugins: ReadonlyArray<Plugin.Plugin<R>>,
  own: ReadonlyArray<Workflow.Any>
): Effect.fn.Return<Loaded, ConfigInvalid | PluginFailed, R | Scope.Scope> {
  const names = new Registry<{ readonly name: string }>("plugin")
  const runners = new Registry<Runner>("runner")
  const workspaces = new Registry<Workspaces>("workspace")
  const gates = new Registry<Gate>("gate")
  const landers = new Registry<Lander>("lander")
  const observers = new Registry<Observer>("observer")
  const facets = new Registry<Facet>("facet")
  const workflows = new Registry<Workflow.Any>("workflow")
  const codes: Array<CatalogueRow> = []
  yield* Effect.forEach(own, (workflow) => workflows.add(workflow, "the host"), { discard: true })
  for (const plugin of plugins) {
    yield* names.add(plugin, plugin.name)
    const given = yield* fence(plugin.name, "Plugin.make", () => plugin.make)
    yield* Effect.forEach(given.runners ?? [], (item) => runners.add(item, plugin.name), { discard: true })
    yield* Effect.forEach(given.workspaces ?? [], (item) => workspaces.add(item, plugin.name), {
      discard: true
    })
    yield* Effect.forEach(given.gates ?? [], (item) => gates.add(item, plugin.name), { discard: true })
    yield* Effect.forEach(given.landers ?? [], (item) => landers.add(item, plugin.name), { discard: true })
    yield* Effect.forEach(given.observers ?? [], (item) => observers.add(item, plugin.name), {
      discard: true
    })
    for (const item of given.facets ?? []) {
      yield* checkFacet(item, plugin.name)
      yield* facets.add(item, plugin.name)
    }
    yield* Effect.forEach(given.workflows ?? [], (item) => workflows.add(item, plugin.name), {
      discard: true
    })
    codes.push(...(given.codes ?? []))
  }
  const served = new Map<string, ServedWorkflow>()
  for (const workflow of workflows.items()) {
    const { uses } = workflow
    const place = uses.workspace === "none" ? null : yield* workspaces.resolve(uses.workspace, workflow.name)
    const checks = yield* Effect.forEach(uses.gates, (gate) => gates.resolve(gate, workflow.name))
    const lander = uses.lander === "keep" ? null : yield* landers.resolve(uses.lander, workflow.name)
    const runner =
      workflow.runs._tag === "Function"
        ? FunctionRunner.make(workflow.runs.run, workflow.messages)
        : yield* runners.resolve(workflow.runs.runner, workflow.name)
    served.set(workflow.name, {
      workflow,
      policy: {
        ...workflow.policy,
        workspace: place !== null,
        gates: checks.length > 0,
        lander: lander !== null
      },
      runner,
      workspaces: place,
      gates: checks,
      lander,
      listens: runner.listens ?? false
    })
  }
  return { served, observers: observers.items(), facets: facets.registered(), codes }
})
