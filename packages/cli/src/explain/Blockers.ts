/**
 * Why a waiting job isn't running now: everything that stands in its way, the first of which alone would do.
 */
import { isoInstant, type Job, readHold } from "@muster/core"
import type { BreakerJson } from "../json/BreakerJson.ts"
import { breakerLine } from "../output/BreakerLine.ts"
import { relative } from "../output/Duration.ts"
import { oneLine } from "../output/Text.ts"

/** A host that gives a sign of life. */
interface HostNow {
  readonly host: number
  /** Null where it has not said. */
  readonly slots: number | null
  readonly usedSlots: number
  readonly draining: boolean
  /** What it has too little of to take a job: disk or memory (R13); null: nothing that it has told of. */
  readonly scarce: string | null
  /** Whether it serves the job's workflow; null where it has not said. */
  readonly serves: boolean | null
}

export interface Surroundings {
  /** Epoch ms. */
  readonly now: number
  /** Who has paused the fleet, `kind:id`; empty: nobody. */
  readonly pausedBy: ReadonlyArray<string>
  readonly breaker: BreakerJson | null
  /** Epoch ms until when the outside asked for patience; null: it didn't. */
  readonly heldUntil: number | null
  readonly hosts: ReadonlyArray<HostNow>
}

const asked = ({ hold }: Job): ReadonlyArray<string> => {
  const parked = readHold(hold)
  if (parked === null) return []
  const steps = parked.markers.map((marker) => `"${oneLine(marker)}"`).join(", ")
  return [`It is parked: its agent began ${steps}, and nobody knows whether that was done.`]
}

const time = ({ runAt, state }: Job, { heldUntil, now }: Surroundings): ReadonlyArray<string> => {
  if (runAt <= now) return []
  const when = `${relative(runAt, now)} (${isoInstant(runAt)})`
  if (heldUntil !== null) return [`The outside asked for patience: it is held until then, ${when}.`]
  return [
    state === "PENDING"
      ? `It is not to start before its time, ${when}.`
      : `Its backoff isn't over: it is due ${when}.`
  ]
}

const room = ({ workflowType }: Job, { hosts }: Surroundings): ReadonlyArray<string> => {
  if (hosts.length === 0) return ["No host is running."]
  const serving = hosts.filter(({ serves }) => serves !== false)
  if (serving.length === 0) return [`No running host defines the workflow ${oneLine(workflowType)}.`]
  const taking = serving.filter(({ draining }) => !draining)
  if (taking.length === 0) return ["Every host is draining: none takes a job."]
  if (taking.every(({ scarce }) => scarce !== null)) {
    const each = taking.map(({ host, scarce }) => `${scarce} of host ${host}`).join(", ")
    return [`No job is taken while too little is left: ${oneLine(each)} is below its floor.`]
  }
  const full = taking.every(({ slots, usedSlots }) => slots !== null && usedSlots >= slots)
  if (!full) return []
  const each = taking.map(({ host, slots, usedSlots }) => `host ${host} ${usedSlots} of ${slots}`).join(", ")
  return [`All slots are taken: ${each}.`]
}

/** Empty for a job that waits for nothing but its turn. */
export const blockersOf = (job: Job, given: Surroundings): ReadonlyArray<string> => [
  ...asked(job),
  ...given.pausedBy.map((actor) => `The fleet is paused, by ${oneLine(actor)}.`),
  ...(given.breaker === null
    ? []
    : [
        `The storm breaker of ${oneLine(job.workflowType)} is ${given.breaker.state === "open" ? "open" : "half open"}: ${breakerLine(given.breaker, given.now)}.`
      ]),
  ...time(job, given),
  ...room(job, given)
]
