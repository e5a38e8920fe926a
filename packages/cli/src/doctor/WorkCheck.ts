/**
 * Work that nobody holds: of hosts whose epoch is over, and rows that can't be read.
 */
import { Store } from "@muster/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { isBeating } from "../store/Hosts.ts"
import { counted, type Diagnosis, of, some } from "./Diagnosis.ts"
import type { HostsSeen } from "./HostCheck.ts"

const { bad, ok, warn } = of("work")
const page = 500

export interface Orphans {
  readonly jobs: ReadonlyArray<string>
  /** There are more. */
  readonly cut: boolean
  readonly damaged: number
  /** A host beats: it adopts them with its next renewal. */
  readonly isHostUp: boolean
}

export const workDiagnoses = ({ cut, damaged, isHostUp, jobs }: Orphans): ReadonlyArray<Diagnosis> => {
  const found: Array<Diagnosis> = []
  const count = `${cut ? "more than " : ""}${counted(jobs.length, "job")}`
  if (jobs.length > 0 && !isHostUp)
    found.push(
      warn(
        `${count} of hosts that are over ${jobs.length === 1 ? "waits" : "wait"} to be adopted: ${some(jobs)}`,
        "start a host that serves them"
      )
    )
  if (jobs.length > 0 && isHostUp)
    found.push(ok(`${count} of hosts that are over will be adopted in a moment`))
  if (damaged > 0)
    found.push(
      bad(
        `${counted(damaged, "row")} can't be decoded`,
        "muster audit names them; a host that starts quarantines them"
      )
    )
  return found.length === 0 ? [ok("nothing waits for a host that is over")] : found
}

export const checkWork = Effect.fnUntraced(function* ({ open }: HostsSeen) {
  const store = yield* Store
  const now = yield* Clock.currentTimeMillis
  const { damaged, jobs, next } = yield* store.orphans(0, page)
  return workDiagnoses({
    jobs: jobs.map(({ jobId }) => jobId),
    cut: next !== null,
    damaged: damaged.length,
    isHostUp: open.some(({ liveness, row }) => liveness !== "gone" && isBeating(row, now))
  })
})
