/**
 * A workflow with the plugins that it names, found and ready: what the agents of its jobs run on.
 */
import type { Gate, Lander, Runner, Workflow, WorkflowPolicy, Workspaces } from "@muster/core"

export interface ServedWorkflow {
  readonly workflow: Workflow.Any
  readonly policy: WorkflowPolicy
  readonly runner: Runner
  /** Null for `none`. */
  readonly workspaces: Workspaces | null
  readonly gates: ReadonlyArray<Gate>
  /** Null for `keep`: the result stays in the store, and no phase is written for it. */
  readonly lander: Lander | null
}
