/** The workflows of a plan, with plugins that do what it says. */
import { Workflow } from "@muster/core"
import { Schema } from "effect"
import { makeGate } from "./SimulatedGate.ts"
import { makeLander } from "./SimulatedLander.ts"
import { makeRunner } from "./SimulatedRunner.ts"
import { makeWorkspaces } from "./SimulatedWorkspaces.ts"
import type { Stage } from "./Stage.ts"

const Payload = Schema.Struct({ n: Schema.Int })
const Result = Schema.Struct({ n: Schema.Int, life: Schema.Int })

export type SimulatedWorkflow = Workflow.Workflow<typeof Payload.Type, typeof Result.Type>

/** In milliseconds; shorter than in life. */
const deadlines = { prepare: 700, sentinel: 700, verify: 800, land: 800 }

/** Seen to open, and over soon. */
const breaker = { failures: 4, attempts: 6, window: "10 seconds", probe: "2 seconds" } as const

/** The workflows as the host in this process defines them. */
export const makeWorkflows = (stage: Stage): ReadonlyMap<string, SimulatedWorkflow> =>
  new Map(
    stage.plan.workflows.map((planned) => [
      planned.name,
      Workflow.make(planned.name, {
        payload: Payload,
        result: Result,
        runner: makeRunner(stage, planned),
        workspace: planned.workspace ? makeWorkspaces(stage) : "none",
        gates: planned.gate ? [makeGate(stage)] : [],
        lander: planned.lander ? makeLander(stage) : "keep",
        silence: planned.silenceMillis,
        silenceCap: planned.silenceMillis * 2,
        breaker,
        unknownOutcome: planned.unknown,
        deadlines: { ...deadlines, work: planned.workMillis }
      })
    ])
  )
