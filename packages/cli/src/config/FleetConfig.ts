/**
 * What a `muster.config.ts` says, and the function that gives it its types. It runs nothing and loads nothing, so that a configuration of
 * programs alone is read in no time.
 */
import type {
  CatalogueRow,
  DriftMode,
  FacetDeclaration,
  Gate,
  Lander,
  Plugin,
  UnknownOutcome,
  Workflow,
  Workspaces
} from "@muster/core"
import type { PromiseAgent } from "@muster/fleet/promise"

type Unit = "ms" | "s" | "m" | "h" | "d" | "w"
type Word = "second" | "minute" | "hour" | "day" | "week"

/** A length of time: milliseconds, or a number with its unit, as in "500ms", "30s", "5m", "2 hours". */
export type Time = number | `${number}${Unit}` | `${number} ${Unit | Word | `${Word}s`}`

/** What a workflow may say beside how it runs. Everything has a default. */
export interface PolicyConfig {
  /** Where its agents work: `none` (default), `directory`, or a name that a plugin contributes. */
  readonly workspace?: string | Workspaces
  /** All must pass before a result counts: names from `gates` or of plugins. */
  readonly gates?: ReadonlyArray<string | Gate>
  /** What brings a verified result home: `keep` (default: the store), or a name that a plugin contributes. */
  readonly lander?: string | Lander
  /** Retries after the first attempt; the code's own bound may be smaller. Default 4. */
  readonly maxRetries?: number
  /** An attempt that says nothing for so long is given up. Default 5 minutes. */
  readonly silence?: Time
  /** The longest that an agent may ask for before silence is assumed. Default 30 minutes, or `silence` where that is longer. */
  readonly silenceCap?: Time
  /** An agent that lives but makes no progress for so long is stalled. Default: the silence cap. */
  readonly progressWindow?: Time
  /** An agent that waits for an answer fails after so long. Default 30 minutes. */
  readonly inputLimit?: Time
  /** What follows when an agent ended between start and end of a step: `ask` (default), `rerun` or `fail`. */
  readonly unknownOutcome?: UnknownOutcome
  /** By phase; `work` has none unless it is set. */
  readonly deadlines?: { readonly [Phase in DeadlinePhase]?: Time }
  /** When its jobs wait because too many attempts fail. */
  readonly breaker?: BreakerConfig
  /** How often a job may be recovered without burning an attempt, as after the loss of its host. Default 5 within 10 minutes. */
  readonly restarts?: { readonly restarts?: number; readonly window?: Time }
}

export type DeadlinePhase = "prepare" | "sentinel" | "work" | "verify" | "land" | "clean"

/** Opens at `failures` of the last `attempts` within `window`, and lets a probe through after `probe`. Default 5 of 10 in 1 minute, 30 s. */
export interface BreakerConfig {
  readonly failures?: number
  readonly attempts?: number
  readonly window?: Time
  readonly probe?: Time
}

/** A workflow whose agents are processes. */
export interface ProcessWorkflow extends PolicyConfig {
  /** Program and arguments, without a shell; `{path}` and `{payload.path}` stand for values of the payload. */
  readonly command: ReadonlyArray<string>
  /** What agents read: `payload` (default), one JSON document and its end; `lines`: the same as a first line, and the input stays open. */
  readonly stdin?: "payload" | "lines"
  /** An agent must print a result line; its output alone doesn't do. Default false. */
  readonly requireResult?: boolean
  /** Where the process starts if it has no workspace, relative to the configuration's folder. Default: that folder. */
  readonly cwd?: string
  /** Added to the environment that it inherits. */
  readonly env?: Readonly<Record<string, string>>
  /** Between TERM and KILL. Default 5 seconds. */
  readonly stopGrace?: Time
}

/** A workflow whose agents are async functions of this process. */
export interface FunctionWorkflow extends PolicyConfig {
  /** Say the payload's type at the parameter: `run: async ({ path }: { path: string }, agent) => …`. */
  readonly run: (payload: never, agent: PromiseAgent) => unknown
}

/** A process, a function, or what `Workflow.make` and `workflow` of @muster/fleet/promise answer. */
export type LoadedWorkflow = ProcessWorkflow | FunctionWorkflow | Workflow.Any

/**
 * A workflow, or a module whose default export is one: `() => import("./review.ts")`. The module is loaded by who runs or checks it, so that
 * other commands don't wait for what it imports.
 */
export type WorkflowConfig = LoadedWorkflow | (() => Promise<{ readonly default: LoadedWorkflow }>)

/** A gate that is a program: exit 0 passes, 1 to 125 rejects with its last lines as reasons. */
export interface CommandGateConfig {
  readonly command: ReadonlyArray<string>
  readonly timeout?: Time
  /** Relative to the configuration's folder. */
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
}

export interface FleetConfig {
  /** The store's file, relative to the configuration's folder. Default `.muster/fleet.db` in it. */
  readonly store?: string
  /** Agents at work at once on one host. Default 4. */
  readonly slots?: number
  /** How long agents may go on when a host is stopped. Default 0. */
  readonly drain?: Time
  /** The whole of a host's stop. Default 30 seconds. */
  readonly stop?: Time
  /** A host whose beat stands still for `lease` is lost; it beats every `renewal`. The same for all hosts of a store. Default 15 s and 3 s. */
  readonly lease?: { readonly lease: Time; readonly renewal: Time }
  /**
   * What is kept of finished jobs, whichever bound is met first, and of the lines of agents. Default 30 days and 1,000,000 jobs, 7 days and 1 GiB of
   * lines.
   */
  readonly retention?: {
    readonly finished?: Time
    readonly jobs?: number
    readonly bytes?: number
    readonly logAge?: Time
    readonly logBytes?: number
  }
  /** Bytes of the store's disk and of memory below which no new job is taken. Default none. */
  readonly floors?: { readonly disk?: number; readonly memory?: number }
  /** Whether the lines of agents are kept in files beside the store. Default true. */
  readonly logs?: boolean
  /** A store or facets that are not what is declared: `audit` warns at the start (default), `block` starts nothing, `off` doesn't look. */
  readonly drift?: DriftMode
  /** The facets that the plugins below bring, as they are declared: another one has drifted. */
  readonly declares?: ReadonlyArray<FacetDeclaration>
  /** Whether the built-in facets are asked. Default true. */
  readonly reflects?: boolean
  /** Where documents are looked for that facets and hints refer to, relative to the configuration's folder. Default that folder. */
  readonly documents?: string
  /**
   * The base URL of an OpenTelemetry collector that metrics, traces and logs go to, as in "http://localhost:4318". Default: what
   * OTEL_EXPORTER_OTLP_ENDPOINT says, else none.
   */
  readonly otlp?: string
  /** The workspace `directory`: where its folders are (default `.muster/workspaces`), and which of them stay (default `never`). */
  readonly workspaces?: { readonly root?: string; readonly keep?: "always" | "failed" | "never" }
  /** By name: how its jobs are worked on. */
  readonly workflows?: Readonly<Record<string, WorkflowConfig>>
  /** What the workflows above don't say for themselves. Not for those of `Workflow.make`. */
  readonly defaults?: PolicyConfig
  /** By name: gates for workflows to name. */
  readonly gates?: Readonly<Record<string, CommandGateConfig | Gate>>
  /** By code or prefix (`EXT_*`): what is to be different from the catalogue's row. */
  readonly codes?: Readonly<Record<string, Omit<CatalogueRow, "code">>>
  /** Loaded in order, unloaded in reverse. */
  readonly plugins?: ReadonlyArray<Plugin.Plugin>
}

/** Names the type of a configuration without widening it: editors complete it. */
export const defineFleet = <const Config extends FleetConfig>(config: Config): Config => config
