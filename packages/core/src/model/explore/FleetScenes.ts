/**
 * The small worlds in which the fleet is searched. No one of them has everything at once: two faults meet around one job with all its phases, and
 * two jobs meet around one fault.
 */
import { Result } from "effect"
import type { WorkflowPolicy } from "../../domain/WorkflowPolicy.ts"
import { worldPolicy } from "../world/worldPolicy.ts"
import type { Bounds } from "./FleetMoves.ts"

export interface Scene {
  readonly name: string
  /** What it is there for, a sentence. */
  readonly about: string
  readonly tier: "exhaustive" | "temporal"
  /** Whether the test suite runs it, too: the others take longer. */
  readonly quick: boolean
  readonly bounds: Bounds
  /** Invariants that nobody promises here, `about` says why. */
  readonly without: ReadonlyArray<string>
  readonly workflow: WorkflowPolicy
}

const workflow = (name: string, plugins: Partial<WorkflowPolicy>): WorkflowPolicy =>
  worldPolicy(name, {
    maxRetries: 1,
    restarts: { restarts: 1, windowMillis: 600_000 },
    // JSON.parse answers any; nothing looks at it
    decodePayload: (json): Result.Result<unknown> => Result.succeed(JSON.parse(json)),
    ...plugins
  })

/** Ends of phases that lead where others lead: a code more or less, a workspace that is kept. */
const alike = [
  "prepare unfit",
  "work crashed",
  "work limited",
  "work permanent",
  "verify broken",
  "archive kept",
  "clean kept"
]

const bounds = (given: Partial<Bounds>): Bounds => ({
  hosts: 2,
  slots: 2,
  jobs: 1,
  retries: 1,
  faults: 1,
  free: [],
  without: [],
  withoutOutcomes: alike,
  steps: false,
  ...given
})

const full = workflow("full", { workspace: true, gates: true, lander: true })
const lands = workflow("lands", { lander: true })
const plain = workflow("plain", {})

export const scenes: ReadonlyArray<Scene> = [
  {
    name: "one job, one fault",
    about: "a job with workspace, gate and lander meets each fault alone",
    tier: "exhaustive",
    quick: true,
    bounds: bounds({}),
    without: [],
    workflow: full
  },
  {
    name: "two jobs, one fault",
    about: "two jobs with a lander share the slots of two hosts",
    tier: "exhaustive",
    quick: false,
    bounds: bounds({ jobs: 2, without: ["replay"] }),
    without: [],
    workflow: lands
  },
  {
    name: "one job, two faults",
    about: "any two faults meet around a job with workspace, gate and lander",
    tier: "exhaustive",
    quick: false,
    bounds: bounds({ faults: 2, without: ["replay"] }),
    without: [],
    workflow: full
  },
  {
    name: "a step that is done once",
    about:
      "the work of a job has a step that is to be done once: it meets each fault alone, and an operator is asked and answers",
    tier: "exhaustive",
    quick: false,
    bounds: bounds({ slots: 1, steps: true, without: ["stop", "repeat", "pause", "replay"] }),
    without: [],
    workflow: plain
  },
  {
    name: "one job for ever",
    about: "a job with a lander meets each fault alone, and is late as often as it likes",
    tier: "temporal",
    quick: false,
    bounds: bounds({ free: ["overdue"], without: ["repeat", "replay", "pause"] }),
    without: [],
    workflow: lands
  },
  {
    name: "two jobs for ever",
    about: "two jobs share the slots of one host, and are late as often as they like",
    tier: "temporal",
    quick: true,
    bounds: bounds({ jobs: 2, hosts: 1, slots: 1, retries: 0, faults: 0, free: ["overdue"] }),
    without: [],
    workflow: plain
  },
  {
    name: "pauses for ever",
    about:
      "operators pause and resume as often as they like, around a job that is late as often as it likes; who never leaves a fleet alone may keep it from starting anything",
    tier: "temporal",
    quick: false,
    bounds: bounds({ faults: 0, free: ["overdue", "pause"] }),
    without: ["dispatched-is-tombstoned", "abandoned-moves-on", "runnable-work-starts"],
    workflow: lands
  }
]
