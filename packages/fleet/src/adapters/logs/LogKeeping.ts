/**
 * What is forgotten of kept lines: by age, by bytes, and with their jobs (rules.md, "Defaults, as numbers").
 */
import { defaults } from "@muster/core"
import { Clock, Effect } from "effect"
import type { KnownJobs, LogBounds, Pruned } from "./AgentLogs.ts"
import { list, type LogFile, remove } from "./LogFiles.ts"

const dayMillis = 86_400_000

export const defaultBounds: LogBounds = {
  millis: defaults.retention.logDays * dayMillis,
  bytes: defaults.retention.logBytes
}

/** The files that go, the oldest first. Jobs that are not `known` keep none. */
export const excess = (
  files: ReadonlyArray<LogFile>,
  bounds: LogBounds,
  now: number,
  known: ReadonlySet<string>
): ReadonlyArray<LogFile> => {
  const { bytes, millis } = bounds
  const gone: Array<LogFile> = []
  let left = files.reduce((sum, file) => sum + file.bytes, 0)
  const oldestFirst = files.toSorted((a, b) => a.at - b.at || (a.path < b.path ? -1 : 1))
  const isForgotten = ({ at, jobId }: LogFile): boolean =>
    !known.has(jobId) || (millis !== null && now - at > millis)
  for (const file of oldestFirst.toSorted((a, b) => Number(isForgotten(b)) - Number(isForgotten(a)))) {
    if (!isForgotten(file) && (bytes === null || left <= bytes)) continue
    gone.push(file)
    left -= file.bytes
  }
  return gone
}

/** Jobs that are asked for at once. */
const chunk = 500

/** The known ones among all; `list` of the folder is of one moment, so a job that is new has no file in it. */
const knownOf = Effect.fnUntraced(function* <E>(files: ReadonlyArray<LogFile>, known: KnownJobs<E>) {
  const ids = Array.from(new Set(files.map(({ jobId }) => jobId)))
  const found = new Set<string>()
  for (let from = 0; from < ids.length; from += chunk)
    for (const id of yield* known(ids.slice(from, from + chunk))) found.add(id)
  return found
})

/** Forgets it. With `dryRun` nothing goes, and the answer is what would. */
export const prune = Effect.fnUntraced(function* <E>(
  folder: string,
  bounds: LogBounds,
  known: KnownJobs<E>,
  dryRun = false
) {
  const files = yield* Effect.promise(() => list(folder))
  if (files.length === 0) return { files: 0, bytes: 0 }
  const now = yield* Clock.currentTimeMillis
  const going = excess(files, bounds, now, yield* knownOf(files, known))
  const pruned: { files: number; bytes: number } = { files: 0, bytes: 0 }
  for (const file of going) {
    if (!dryRun && !(yield* Effect.promise(() => remove(file)))) continue
    pruned.files++
    pruned.bytes += file.bytes
  }
  const answer: Pruned = pruned
  return answer
})
