/**
 * Processes of agents whose host is over: they carry its token in their environment. With `fix` they are killed with their groups, as the next
 * host would do (R20); those of a host that may live are never looked at.
 */
import { Store } from "@muster/core"
import { hostToken, ProcessReaper } from "@muster/fleet"
import * as Effect from "effect/Effect"
import { counted, type Diagnosis, of, some } from "./Diagnosis.ts"
import type { HostsSeen } from "./HostCheck.ts"

const { bad, fixed, ok } = of("processes")

const named = (processes: ReadonlyArray<ProcessReaper.ReapedProcess>): string =>
  `${counted(processes.length, "process", "processes")} of ${some(
    Array.from(new Set(processes.map(({ token }) => `host ${token.split(":")[1] ?? "?"}`)))
  )} (pid ${some(processes.map(({ pid }) => String(pid)))})`

export const checkProcesses = Effect.fnUntraced(function* ({ open, over }: HostsSeen, fix: boolean) {
  const store = yield* Store
  const reaper = yield* ProcessReaper.ProcessReaper
  const tokensOf = (rows: HostsSeen["over"]) => rows.map((row) => hostToken(store.id, row))
  const fenced = tokensOf(over)
  const gone = tokensOf(open.flatMap(({ liveness, row }) => (liveness === "gone" ? [row] : [])))
  const found = yield* reaper.find([...fenced, ...gone])
  if (found.length === 0) return [ok("no agent of a host that is over runs here")]
  if (!fix)
    return [
      bad(
        `${named(found)} still ${found.length === 1 ? "runs" : "run"}, though nobody holds the work any more`,
        "the next host that starts kills them; so does muster doctor --fix"
      )
    ]
  // Only of hosts that are fenced: who isn't may not be taken for dead.
  const { killed, left } = yield* reaper.reap(fenced)
  const diagnoses: Array<Diagnosis> = []
  if (killed.length > 0) diagnoses.push(fixed(`${named(killed)} ran on: killed`))
  if (left.length > 0)
    diagnoses.push(
      bad(`${named(left)} can't be killed`, "they hang in the system: look at the disk they use")
    )
  return diagnoses.length === 0 ? [ok("no agent of a host that is over runs here any more")] : diagnoses
})
