/** The workflows that random walks submit: one without plugins, one for each plugin alone, one with all, and one for each policy of unknown outcomes. */
import { Result } from "effect"
import type { WorkflowPolicy } from "../../domain/WorkflowPolicy.ts"
import { worldPolicy } from "../world/worldPolicy.ts"

/** The payload that doesn't decode. */
const misfit = '"misfit"'

const workflow = (name: string, plugins: Partial<WorkflowPolicy> = {}): WorkflowPolicy =>
  worldPolicy(name, {
    maxRetries: 2,
    restarts: { restarts: 2, windowMillis: 600_000 },
    decodePayload: (json) =>
      json === misfit ? Result.fail({ path: "", detail: "is a misfit" }) : Result.succeed(json),
    ...plugins
  })

export const walkWorkflows: ReadonlyMap<string, WorkflowPolicy> = new Map(
  [
    workflow("plain"),
    workflow("workspace", { workspace: true }),
    workflow("gates", { gates: true }),
    workflow("lander", { lander: true }),
    workflow("full", { workspace: true, gates: true, lander: true }),
    workflow("rerun", { unknownOutcome: "rerun", gates: true }),
    workflow("fail", { unknownOutcome: "fail" })
  ].map((policy) => [policy.name, policy])
)
