/**
 * Folders of agents below the roots of the workspace `directory`. With `fix` those go whose agent's tombstone says that they are removed; whatever
 * else lies there is somebody's to look at.
 */
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { type Job, seqOf, Store } from "@muster/core"
import { DirectoryWorkspaces } from "@muster/fleet"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type Diagnosis, counted, of, some } from "./Diagnosis.ts"

const { bad, fixed, ok, warn } = of("workspaces")

/** What a folder is, by the name that it has and the job that it was made for. */
export type Standing =
  /** Its agent lives or will live, or it was kept. */
  | "needed"
  /** Its agent is tombstoned, with the record that the workspace is removed. */
  | "leftover"
  /** Its agent is tombstoned, and no record says what became of it. */
  | "unrecorded"
  /** Its job is not in the store any more. */
  | "forgotten"
  /** Not named as this store's jobs are. */
  | "foreign"

/** The job's number in a folder's name, `<job id>` or `<job id>.<incarnation>`; undefined: it is of another store, or of nobody. */
export const seqIn = (storeId: string, name: string): number | undefined => {
  const jobId = name.replace(/\.\d+$/, "")
  return jobId.startsWith(`${storeId}-`) ? seqOf(storeId, jobId) : undefined
}

/** @param detail of the tombstone's event */
export const standingOf = (job: Job | undefined, detail: string | null): Standing => {
  if (job === undefined) return "forgotten"
  const { agent } = job
  // A hung life may still be at work there, whatever the record says (R4).
  if (agent === null || agent.state !== "tombstoned" || agent.workspace !== null || agent.hung)
    return "needed"
  return detail !== null && /"workspace":"removed"/.test(detail) ? "leftover" : "unrecorded"
}

const jobsOf = Effect.fnUntraced(function* (seqs: ReadonlyArray<number>) {
  const store = yield* Store
  const found = new Map<number, Job>()
  for (let from = 0; from < seqs.length; from += 500)
    for (const { job } of yield* store.jobs({ by: "seq", seqs: seqs.slice(from, from + 500), bodies: false }))
      found.set(job.seq, job)
  return found
})

/** The detail of the move that tombstoned the job's agent. */
const tombstoneOf = Effect.fnUntraced(function* (seq: number) {
  const store = yield* Store
  const newest = yield* store.events({ job: seq, after: 0, limit: 50, order: "descending" })
  return (
    newest.find(({ subjectKind, toState }) => subjectKind === "agent" && toState === "tombstoned")?.detail ??
    null
  )
})

const namesIn = (root: string) =>
  Effect.try({
    try: (): ReadonlyArray<string> =>
      readdirSync(root, { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name),
    catch: (error) => (error instanceof Error ? error.message : String(error))
  })

const removed = Effect.fnUntraced(function* (root: string, name: string) {
  const { remove } = DirectoryWorkspaces.make({ root })
  return Result.isSuccess(yield* Effect.result(remove(join(root, name), "discarded")))
})

/** Folders of a root, by what they are. */
const sorted = Effect.fnUntraced(function* (names: ReadonlyArray<string>) {
  const { id } = yield* Store
  const jobs = yield* jobsOf(names.flatMap((name) => seqIn(id, name) ?? []))
  const found: Record<Standing, Array<string>> = {
    needed: [],
    leftover: [],
    unrecorded: [],
    forgotten: [],
    foreign: []
  }
  for (const name of names) {
    const seq = seqIn(id, name)
    if (seq === undefined) {
      found.foreign.push(name)
      continue
    }
    const job = jobs.get(seq)
    const detail = job?.agent?.state === "tombstoned" ? yield* tombstoneOf(seq) : null
    found[standingOf(job, detail)].push(name)
  }
  return found
})

const checkRoot = Effect.fnUntraced(function* (root: string, names: ReadonlyArray<string>, fix: boolean) {
  const { forgotten, leftover, needed, unrecorded } = yield* sorted(names)
  const found: Array<Diagnosis> = []
  const tell = (folders: ReadonlyArray<string>): string =>
    `${counted(folders.length, "workspace")} in ${root} (${some(folders)})`
  if (leftover.length > 0 && !fix)
    found.push(
      warn(
        `${tell(leftover)}: the agent is tombstoned and its record says removed`,
        "muster doctor --fix removes what is left"
      )
    )
  if (leftover.length > 0 && fix) {
    const gone = yield* Effect.filter(leftover, (name) => removed(root, name))
    const left = leftover.filter((name) => !gone.includes(name))
    if (gone.length > 0) found.push(fixed(`${tell(gone)}: removed`))
    if (left.length > 0) found.push(bad(`${tell(left)} can't be removed`, "look at their permissions"))
  }
  const unknown = [...unrecorded, ...forgotten]
  if (unknown.length > 0)
    found.push(
      warn(
        `${tell(unknown)}: no record says what became of ${unknown.length === 1 ? "it" : "them"}`,
        "look inside, and remove by hand what nobody needs"
      )
    )
  return { found, needed: needed.length }
})

/** @param roots where workspaces may be; those that aren't there are none */
export const checkWorkspaces = Effect.fnUntraced(function* (roots: ReadonlyArray<string>, fix: boolean) {
  const found: Array<Diagnosis> = []
  let needed = 0
  for (const root of new Set(roots.filter((one) => existsSync(one)))) {
    const names = yield* Effect.result(namesIn(root))
    if (Result.isFailure(names)) {
      found.push(warn(`${root} can't be looked at: ${names.failure}`, null))
      continue
    }
    const seen = yield* checkRoot(root, names.success, fix)
    found.push(...seen.found)
    needed += seen.needed
  }
  return found.length === 0
    ? [ok(needed === 0 ? "none" : `${counted(needed, "workspace")}, each needed or kept`)]
    : found
})
