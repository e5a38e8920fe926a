/**
 * What a host says when it starts a fleet. Everything but the workflows has a default (rules.md, "Defaults, as numbers").
 */
import type { CatalogueRow, DriftMode, FacetDeclaration, Plugin, Workflow } from "@muster/core"
import type { Duration } from "effect"
import type { Floors } from "./loop/Pressure.ts"
import type { RetentionOptions } from "./loop/Retention.ts"

export interface FleetOptions<R = never> {
  /** The workflows that this host serves; jobs of others are left to other hosts (R23). */
  readonly workflows: ReadonlyArray<Workflow.Any<R>>
  /** Incarnations alive at once, at most; 1 or more. */
  readonly slots?: number
  /** Whether the built-in facets are asked (docs/reflection.md); those of plugins are in any case. Default true. */
  readonly reflects?: boolean
  /** The directory below which documents are looked for that facets and hints refer to. Default: the working directory. */
  readonly documents?: string
  /** Loaded in order, unloaded in reverse. */
  readonly plugins?: ReadonlyArray<Plugin.Plugin<R>>
  /** Rows that are added to the error catalogue, or replace the row of the same code. */
  readonly codes?: ReadonlyArray<CatalogueRow>
  /** The seed of the jitter; by default drawn once at the start. Equal seeds and inputs give equal events. */
  readonly seed?: number
  /**
   * How hosts know of each other's death: one whose beat stands still for `lease` is lost, and each renews its beat every `renewal`, at most
   * half a lease. The same for all hosts of a store. Defaults 15 s and 3 s.
   */
  readonly lease?: { readonly lease: Duration.Input; readonly renewal: Duration.Input }
  /** What is kept of finished jobs: by default 30 days of them, and a million. Never a job whose letter may be replayed goes. */
  readonly retention?: RetentionOptions
  /** Bytes of disk and of memory below which no new job is taken (R13). None by default. */
  readonly floors?: Floors
  /** Whether the lines of agents are kept in files beside the store, where that is a file (docs/operations.md). Default true. */
  readonly logs?: boolean
  /**
   * What the start makes of a store whose words are not the declared ones, and of facets that are not (`MODEL-DRIFT`): `audit`, the default,
   * logs a warning for each, `block` starts nothing and fails with ORCH_MODEL_DRIFT, `off` doesn't look.
   */
  readonly drift?: DriftMode
  /** The facets that this host declares besides Muster's own: a plugin that brings another one has drifted. None by default. */
  readonly declares?: ReadonlyArray<FacetDeclaration>
  /** How long running agents may go on when the fleet stops, before they are handed back unburnt. Default 0. */
  readonly drain?: Duration.Input
  /** The whole of the stop, in which interrupted agents must end. Default 30 s. */
  readonly stop?: Duration.Input
}
