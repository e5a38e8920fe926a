/**
 * The kept lines of agents: within their bounds, and of jobs that the store knows.
 */
import { Store } from "@muster/core"
import { type AgentLogs, knownJobs, LogFiles, LogKeeping } from "@muster/fleet"
import * as Effect from "effect/Effect"
import { size } from "../output/Bytes.ts"
import { counted, of } from "./Diagnosis.ts"

const { fixed, ok, warn } = of("logs")

export const checkLogs = Effect.fnUntraced(function* (
  file: string,
  bounds: AgentLogs.LogBounds,
  fix: boolean
) {
  const store = yield* Store
  const folder = LogFiles.folderOf(file)
  const all = yield* Effect.promise(() => LogFiles.list(folder))
  const known: AgentLogs.KnownJobs<Effect.Error<ReturnType<typeof knownJobs>>> = (ids) =>
    knownJobs(store, ids)
  const beyond = yield* LogKeeping.prune(folder, bounds, known, !fix)
  const bytes = all.reduce((sum, one) => sum + one.bytes, 0)
  const kept = `${counted(all.length, "file")} of agents' lines, ${size(bytes)}`
  if (beyond.files === 0) return [ok(all.length === 0 ? "none is kept" : kept)]
  const what = `${counted(beyond.files, "file")} of ${size(beyond.bytes)}, too old, too many or of forgotten jobs`
  return fix
    ? [fixed(`${kept}: ${what}, removed`)]
    : [warn(`${kept}: ${what}`, "a host forgets them within minutes; muster prune --logs does at once")]
})
