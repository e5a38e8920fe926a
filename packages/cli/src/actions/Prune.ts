/**
 * `muster prune`: finished jobs go, in transactions as short as those of hosts.
 */
import { DeadLetterRequired, defaults, exit, Retention, Store } from "@muster/core"
import { knownJobs, LogFiles, LogKeeping } from "@muster/fleet"
import { SqliteStore } from "@muster/store-sqlite"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import { configured } from "../config/Configured.ts"
import { logBoundsOf } from "../config/LogBounds.ts"
import { Ended } from "../Ended.ts"
import type { PruneJson } from "../json/KeepingJson.ts"
import { operator } from "../Operator.ts"
import { answer } from "../output/Answer.ts"
import { size } from "../output/Bytes.ts"
import { parseMillis } from "../run/DurationText.ts"
import * as StoreFile from "../store/StoreFile.ts"
import { storePath } from "../store/StorePath.ts"
import { UsageError } from "../UsageError.ts"
import { reasonOf } from "./HostWish.ts"

interface Input {
  readonly jobs: ReadonlyArray<string>
  readonly finishedBefore: Option.Option<string>
  readonly keep: Option.Option<number>
  readonly dryRun: boolean
  readonly vacuum: boolean
  readonly logs: boolean
  readonly reason: Option.Option<string>
}

const usage = (message: string, hint: string) => new UsageError({ message, hint })

const iso = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/

/** How long ago a job must have ended, in milliseconds. */
const ageOf = Effect.fnUntraced(function* (text: string, now: number) {
  const millis = parseMillis(text)
  if (millis !== undefined) return millis
  const instant = iso.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(instant))
    return yield* usage(
      `"${text}" is neither a length of time nor an instant.`,
      "--finished-before 7d, or --finished-before 2030-01-31T09:00:00Z"
    )
  return Math.max(0, now - instant)
})

/** The number of a named job; refused where its letter may be replayed (R3). */
const mayGo = Effect.fnUntraced(function* (id: string) {
  const store = yield* Store
  const { job } = yield* store.job(id)
  const [letter] = yield* store.records({ kind: "letters", job: job.seq, after: 0, limit: 1 })
  if (letter !== undefined) {
    const { discarded_at, replay_eligible, replayed_by } = letter.row
    if (discarded_at === null && replayed_by === null && replay_eligible === 1)
      return yield* new DeadLetterRequired({
        subject: `job ${job.jobId}`,
        detail: `it may still be replayed; muster dlq discard ${job.seq} gives it up`
      })
  }
  return job.seq
})

/** How many go in one transaction. */
const chunk = defaults.pruning.jobs / 2

const forgetNamed = Effect.fnUntraced(function* (ids: ReadonlyArray<string>, dryRun: boolean) {
  const store = yield* Store
  const seqs = new Set(yield* Effect.forEach(ids, mayGo))
  const now = yield* Clock.currentTimeMillis
  const request = { finished_before: now + 1, limit: seqs.size, jobs: Array.from(seqs) }
  return { gone: yield* store.prune(dryRun ? { ...request, dry_run: true } : request), asked: seqs.size }
})

const forgetBeyond = Effect.fnUntraced(function* (
  bounds: Retention.RetentionBounds,
  now: number,
  dryRun: boolean
) {
  const store = yield* Store
  let gone = 0
  if (dryRun) {
    for (const { before, most } of Retention.forgettings(
      bounds,
      yield* store.tally(now),
      now,
      Number.MAX_SAFE_INTEGER
    ))
      gone = Math.max(gone, yield* store.prune({ finished_before: before, limit: most, dry_run: true }))
    return gone
  }
  const done = new Set<string>()
  for (;;) {
    const all = Retention.forgettings(bounds, yield* store.tally(now), now, chunk)
    const wanted = all.find(({ bound }) => !done.has(bound))
    if (wanted === undefined) return gone
    const count = yield* store.prune({ finished_before: wanted.before, limit: wanted.most })
    gone += count
    if (count < wanted.most) done.add(wanted.bound)
    // Hosts get their turn: SQLite's lock is not fair (R15).
    yield* Effect.sleep(2)
  }
})

/** Who has pruned, how much and why: a record of its own, since what is gone can't tell. */
const record = Effect.fnUntraced(function* (jobs: number, reason: string | null) {
  const store = yield* Store
  const at = yield* Clock.currentTimeMillis
  yield* store.commit({
    fence: null,
    at,
    notes: [
      {
        seq: null,
        subjectKind: "host",
        event: "pruned",
        fromState: null,
        toState: null,
        transitionReason: "operator",
        errorCode: null,
        actor: yield* operator,
        occurredAt: at,
        incarnation: 0,
        detail: JSON.stringify({ jobs, reason })
      }
    ]
  })
})

const fileBytes = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  return Number((yield* fs.stat(file)).size)
})

const sizes = (from: number | null, to: number | null): string =>
  `${size(from ?? 0)} before, ${size(to ?? 0)} now`

/** The lines of agents that are older or more than the configuration wants, and those of jobs that are gone. */
const pruneLogs = Effect.fnUntraced(function* (file: string, dryRun: boolean) {
  const store = yield* Store
  const bounds = logBoundsOf(yield* configured)
  return yield* LogKeeping.prune(
    LogFiles.folderOf(file),
    bounds,
    (jobIds) => knownJobs(store, jobIds),
    dryRun
  )
})

const pruneNow = Effect.fnUntraced(function* (input: Input, bounds: Retention.RetentionBounds, now: number) {
  const store = yield* Store
  const file = yield* storePath
  const before = yield* store.tally(yield* Clock.currentTimeMillis)
  const fileBefore = yield* fileBytes(file)
  const named = input.jobs.length > 0
  const { asked, gone } = named
    ? yield* forgetNamed(input.jobs, input.dryRun)
    : { asked: 0, gone: yield* forgetBeyond(bounds, now, input.dryRun) }
  const logs = yield* pruneLogs(file, input.dryRun)
  if (gone > 0 && !input.dryRun) yield* record(gone, reasonOf(input.reason))
  if (input.vacuum && !input.dryRun) yield* SqliteStore.vacuum(file)
  const after = yield* store.tally(yield* Clock.currentTimeMillis)
  const document: PruneJson = {
    dry_run: input.dryRun,
    jobs: gone,
    log_files: logs.files,
    log_bytes: logs.bytes,
    dead_letters: after.letters,
    bytes_before: before.bytes,
    bytes_after: after.bytes,
    file_before: fileBefore,
    file_after: yield* fileBytes(file)
  }
  yield* answer(document, () => [
    `${gone} finished ${gone === 1 ? "job" : "jobs"} ${input.dryRun ? "would go" : gone === 1 ? "is gone" : "are gone"}`,
    ...(logs.files === 0
      ? []
      : [
          `${logs.files} ${logs.files === 1 ? "file" : "files"} of agents' lines (${size(logs.bytes)}) ${input.dryRun ? "would go" : "went"}`
        ]),
    ...(input.dryRun
      ? []
      : [
          `content: ${sizes(document.bytes_before, document.bytes_after)}`,
          `file:    ${sizes(document.file_before, document.file_after)}${input.vacuum ? "" : " (what is free is used again; --vacuum gives it back)"}`
        ]),
    ...(after.letters > 0 ? [`${after.letters} dead letters are kept: muster dlq list`] : [])
  ])
  if (gone < asked) {
    yield* Console.error(
      `muster: ${asked - gone} of ${asked} stay: they are not over, or a replay that must stay reads them.`
    )
    return yield* new Ended({ exitCode: exit.refused })
  }
  return undefined
})

export const prune = Effect.fnUntraced(function* (input: Input) {
  const isBound = Option.isSome(input.finishedBefore) || Option.isSome(input.keep)
  const isNamed = input.jobs.length > 0
  if (isBound ? isNamed : !isNamed && !input.logs)
    return yield* usage(
      isBound ? "Name jobs, or say which are old: not both." : "Say which jobs: none goes by itself.",
      "muster prune --finished-before 30d, muster prune --keep 10000, or muster prune JOB …"
    )
  const now = yield* Clock.currentTimeMillis
  const bounds: Retention.RetentionBounds = {
    finishedMillis: Option.isSome(input.finishedBefore)
      ? yield* ageOf(input.finishedBefore.value, now)
      : null,
    jobs: Option.getOrNull(input.keep),
    bytes: null
  }
  return yield* Effect.provide(
    pruneNow(input, bounds, now),
    StoreFile.layer(input.dryRun ? "read" : "existing")
  )
})
