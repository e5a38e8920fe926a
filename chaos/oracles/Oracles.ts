/**
 * All oracles: each is asked after each scenario.
 */
import { Effect } from "effect"
import * as Effects from "./Effects.ts"
import type { Evidence, Oracle } from "./Evidence.ts"
import * as Processes from "./Processes.ts"
import * as Records from "./Records.ts"

export const oracles: ReadonlyArray<Oracle> = [
  Records.auditIsClean,
  Records.everyJobEnds,
  Effects.landsOnce,
  Effects.livesAreTold,
  Effects.budgetsAreKept,
  Effects.nothingIsLeft,
  Processes.noProcessSurvives
]

/** Everything that is wrong. */
export const judge = (evidence: Evidence): Effect.Effect<ReadonlyArray<string>> =>
  Effect.map(
    Effect.forEach(oracles, (oracle) => oracle.judge(evidence)),
    (found) => found.flat()
  )
