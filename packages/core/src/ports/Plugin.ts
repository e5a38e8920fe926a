/**
 * The plugin contract: contributions, plain data with names, from one scoped effect. What the effect acquires is released in reverse order
 * of loading when the fleet closes. The Store is no contribution: it is a seat, filled by a Layer.
 */
import type { Effect, Scope } from "effect"
import type { CatalogueRow } from "../domain/ErrorCatalogue.ts"
import type { PluginFailed } from "../domain/errors/ConfigErrors.ts"
import type { Facet } from "./Facet.ts"
import type { Gate } from "./Gate.ts"
import type { Lander } from "./Lander.ts"
import type { Observer } from "./Observer.ts"
import type { Runner } from "./Runner.ts"
import type * as Workflow from "./Workflow.ts"
import type { Workspaces } from "./Workspaces.ts"

/** Each list may be left out. A name that is taken already is an error that names both plugins. */
export interface Contributions {
  readonly runners?: ReadonlyArray<Runner>
  readonly workspaces?: ReadonlyArray<Workspaces>
  readonly gates?: ReadonlyArray<Gate>
  readonly landers?: ReadonlyArray<Lander>
  readonly observers?: ReadonlyArray<Observer>
  readonly facets?: ReadonlyArray<Facet>
  /** Rows that are added to the error catalogue, or replace the row of the same code. */
  readonly codes?: ReadonlyArray<CatalogueRow>
  readonly workflows?: ReadonlyArray<Workflow.Any>
}

export interface Plugin<R = never> {
  /** Unique in a fleet. */
  readonly name: string
  /** Semantic version, for people. */
  readonly version: string
  /** Acquires what the plugin needs and says what it contributes. Run once, at the fleet's start; a failure ends the start. */
  readonly make: Effect.Effect<Contributions, PluginFailed, R | Scope.Scope>
}

/** Names the type of a plugin without widening it. */
export const make = <R = never>(plugin: Plugin<R>): Plugin<Exclude<R, Scope.Scope>> =>
  // The scope is given by the fleet, so it is no requirement of the plugin.
  plugin as Plugin<Exclude<R, Scope.Scope>>
