/**
 * `muster watch` where no board can be shown: how the fleet stands in one line, whenever that is another one; with `--json` the document of
 * `muster status`.
 */
import { Store } from "@muster/core"
import { Clock, Console, Effect } from "effect"
import { readStatus } from "../actions/Status.ts"
import { JsonFlag } from "../GlobalFlags.ts"
import { isListening } from "../output/Listener.ts"
import { short, timeOfDay } from "./Figures.ts"
import { type FleetLook, jobsIn, modeOf, slotsOf, usedSlotsOf } from "./FleetLook.ts"
import { holdsOf } from "./panes/HoldsPane.ts"
import * as StoreLook from "./sources/StoreLook.ts"

/** Between two lines at least: this is for logs. */
const lineMillis = 2_000

const facts = (look: FleetLook): string => {
  const all = slotsOf(look)
  const held = holdsOf(look, look.at).length
  return [
    modeOf(look),
    ...(all === 0 ? [] : [`slots ${usedSlotsOf(look)}/${all}`]),
    `landed ${short(jobsIn(look, "COMPLETED"))}`,
    `waiting ${short(jobsIn(look, "PENDING"))}`,
    `working ${short(jobsIn(look, "PROCESSING", "VALIDATING"))}`,
    `retrying ${short(jobsIn(look, "RETRY_SCHEDULED"))}`,
    `dead ${short(jobsIn(look, "DEAD_LETTERED", "FAILED"))}`,
    ...(held === 0 ? [] : [`held back by ${held}`])
  ].join("  ")
}

/** Goes on until it is stopped, or nobody reads. */
export const plainWatch = Effect.gen(function* () {
  const store = yield* Store
  const isJson = yield* JsonFlag
  const { read } = yield* StoreLook.make
  let last = ""
  let token = Number.NaN
  while (yield* isListening) {
    const changed = yield* store.changed
    if (isJson) {
      if (changed !== token) yield* Console.log(JSON.stringify(yield* readStatus))
    } else {
      const line = facts(yield* read)
      if (line !== last) yield* Console.log(`${timeOfDay(yield* Clock.currentTimeMillis)}  ${line}`)
      last = line
    }
    token = changed
    yield* Effect.sleep(lineMillis)
  }
})
