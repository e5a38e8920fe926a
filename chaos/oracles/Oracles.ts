/**
 * All oracles: each is asked after each scenario.
 */
import { Effect } from "effect"
import * as Effects from "./Effects.ts"
import type { Evidence, Oracle } from "./Evidence.ts"
import * as Processes from "./Processes.ts"
import * as Records from "./Records.ts"

const oracles: ReadonlyArray<Oracle> = [
  Records.auditIsClean,
  Records.everyJobEnds,
  Effects.landsOnce,
  Effects.writesOnce,
  Effects.livesAreTold,
  Effects.finishedWorkStays,
  Effects.budgetsAreKept,
  Effects.nothingIsLeft,
  Processes.noProcessSurvives
]

/** Everything that is wrong. */
export const judge = Effect.fnUntraced(function* (known: Omit<Evidence, "workflows">) {
  const all = yield* Effect.orDie(
    known.store.jobs({ by: "page", state: null, workflow: null, after: 0, limit: 1e6 })
  )
  const workflows = new Map(all.map(({ job }) => [job.jobId, job.workflowType]))
  const evidence: Evidence = { ...known, workflows }
  return (yield* Effect.forEach(oracles, (oracle) => oracle.judge(evidence))).flat()
})
