/** The workflows that random walks submit: one without plugins, one for each plugin alone, one with all, and one for each policy of unknown outcomes. */
import { Result } from "effect"
import { defaults } from "../../domain/Defaults.ts"
import type { WorkflowPolicy } from "../../domain/WorkflowPolicy.ts"

/** The payload that doesn't decode. */
const misfit = '"misfit"'

const workflow = (name: string, plugins: Partial<WorkflowPolicy> = {}): WorkflowPolicy => ({
  name,
  maxRetries: 2,
  silenceMillis: 300_000,
  silenceCapMillis: 1_800_000,
  progressMillis: 1_800_000,
  inputMillis: 1_800_000,
  breaker: defaults.breaker,
  deadlines: { prepare: 60_000, sentinel: 10_000, work: null, verify: 600_000, land: 600_000, clean: 60_000 },
  restarts: { restarts: 2, windowMillis: 600_000 },
  unknownOutcome: "ask",
  workspace: false,
  gates: false,
  lander: false,
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
