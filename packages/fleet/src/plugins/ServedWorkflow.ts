/**
 * A workflow with the plugins that it names, found and ready: what the agents of its jobs run on.
 */
import type { Gate, Lander, Runner, Workflow, WorkflowPolicy, Workspaces } from "@muster/core"
import { Effect } from "effect"

export interface ServedWorkflow {
  readonly workflow: Workflow.Any
  readonly policy: WorkflowPolicy
  readonly runner: Runner
  /** Null for `none`. */
  readonly workspaces: Workspaces | null
  readonly gates: ReadonlyArray<Gate>
  /** Null for `keep`: the result stays in the store, and no phase is written for it. */
  readonly lander: Lander | null
  /** Its agents take messages: a function whose workflow declares some, or one of a runner that listens. */
  readonly listens: boolean
}

/** The same workflow, whose landings each begin once `owns` has returned; what has begun is not stopped. */
export const guardLanding = (served: ServedWorkflow, owns: Effect.Effect<void>): ServedWorkflow => {
  const { lander } = served
  if (lander === null) return served
  return { ...served, lander: { ...lander, land: (order) => Effect.andThen(owns, lander.land(order)) } }
}
