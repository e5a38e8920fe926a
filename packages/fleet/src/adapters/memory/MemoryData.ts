/**
 * What the memory store holds: rows that are replaced and never changed, and the indexes over them, which `putRow` keeps.
 */
import {
  type EventRow,
  type HostRow,
  isOver,
  type JobRow,
  type JobState,
  type RecordRow,
  type StoreDriver
} from "@muster/core"
import { type ReadyJob, ReadyJobs } from "./ReadyJobs.ts"
import { Shelf } from "./Shelf.ts"

type RecordOf<Kind extends RecordRow["kind"]> = Extract<RecordRow, { readonly kind: Kind }>

/** A job with all that belongs to it; the numbers are places on the shelves. */
export interface StoredJob {
  row: JobRow
  readonly payload: string
  result: string | null
  /** Its entry among the runnable ones; null while it isn't runnable. */
  ready: ReadyJob | null
  readonly events: Array<number>
  readonly retries: Array<number>
  letter: number | null
  /** By name. */
  readonly markers: Map<string, number>
  readonly intents: Array<number>
}

/** All of a store. Handles on the same data share one of these. */
export class MemoryData {
  readonly id: string
  readonly jobs = new Shelf<StoredJob>()
  /** The holder of each key: workflow, key, `seq`. */
  readonly keys = new Map<string, Map<string, number>>()
  readonly events = new Shelf<EventRow>()
  readonly retries = new Shelf<RecordOf<"retries">>()
  readonly letters = new Shelf<RecordOf<"letters">>()
  readonly markers = new Shelf<RecordOf<"markers">>()
  readonly intents = new Shelf<RecordOf<"intents">>()
  /** Intents by request id. */
  readonly requests = new Map<string, number>()
  readonly hosts = new Shelf<HostRow>()
  /** By host. */
  readonly banks = new Map<number, RecordOf<"banks">>()
  readonly breakers = new Shelf<RecordOf<"breakers">>()
  readonly messages = new Shelf<RecordOf<"messages">>()
  /** Messages that nobody has taken, forgotten ones too. */
  messageCount = 0
  readonly breakersByWorkflow = new Map<string, number>()
  /** Epochs that are not over. */
  readonly living = new Set<number>()
  /** Owned jobs by epoch. */
  readonly owned = new Map<number, Set<number>>()
  readonly ready = new ReadyJobs()
  /** Jobs by workflow and state. */
  readonly counts = new Map<string, Map<string, number>>()
  /** Letters that no replay has answered and nobody has discarded. */
  letterCount = 0
  /** Jobs that are parked until somebody settles their steps. */
  parkedCount = 0
  /** Characters of payloads and results, as a measure of size. */
  bytes = 0
  /** Jobs that are over, with nothing left of their agents. */
  readonly finished = new Set<number>()
  /** Raised with each write. */
  writes = 0

  constructor(id: string) {
    this.id = id
  }
}

// `state` has passed the constraints, so that it is one of the table's
const isOverRow = (row: JobRow): boolean => isOver(row.state as JobState)

const isFinished = (row: JobRow): boolean =>
  isOverRow(row) && (row.agent_state === null || row.agent_state === "tombstoned")

/** `isRunnable` of the domain, on a row. */
const isRunnableRow = (row: JobRow): boolean =>
  (row.state === "PENDING" || row.state === "RETRY_SCHEDULED") &&
  row.hold === null &&
  row.owner_host === null &&
  (row.agent_state === null || row.standing === "waiting" || row.standing === "landing_unknown")

const add = (data: MemoryData, row: JobRow, by: 1 | -1): void => {
  let states = data.counts.get(row.workflow_type)
  if (states === undefined) {
    states = new Map()
    data.counts.set(row.workflow_type, states)
  }
  const count = (states.get(row.state) ?? 0) + by
  if (count === 0) states.delete(row.state)
  else states.set(row.state, count)
  if (row.hold !== null) data.parkedCount += by
}

const disown = (data: MemoryData, { owner_epoch, seq }: JobRow): void => {
  if (owner_epoch === null) return
  const seqs = data.owned.get(owner_epoch)
  seqs?.delete(seq)
  if (seqs?.size === 0) data.owned.delete(owner_epoch)
}

const own = (data: MemoryData, { owner_epoch, seq }: JobRow): void => {
  if (owner_epoch === null) return
  const seqs = data.owned.get(owner_epoch)
  if (seqs === undefined) data.owned.set(owner_epoch, new Set([seq]))
  else seqs.add(seq)
}

/** Takes the job's row out of the indexes. */
const leaveIndexes = (data: MemoryData, job: StoredJob): void => {
  add(data, job.row, -1)
  disown(data, job.row)
  data.finished.delete(job.row.seq)
  if (job.ready !== null) data.ready.remove(job.ready)
  job.ready = null
}

const enterIndexes = (data: MemoryData, job: StoredJob): void => {
  const { row } = job
  add(data, row, 1)
  own(data, row)
  if (isFinished(row)) data.finished.add(row.seq)
  if (!isRunnableRow(row)) return
  job.ready = {
    seq: row.seq,
    workflow: row.workflow_type,
    priority: row.priority,
    runAt: row.run_at,
    inLine: -1,
    inAll: -1
  }
  data.ready.add(job.ready)
}

/** A job on its shelf, at its number, with nothing that belongs to it yet. */
export const putJob = (
  data: MemoryData,
  row: JobRow,
  payload: string,
  result: string | null = null
): StoredJob => {
  const job: StoredJob = {
    row,
    payload,
    result,
    ready: null,
    events: [],
    retries: [],
    letter: null,
    markers: new Map(),
    intents: []
  }
  data.jobs.replace(row.seq, job)
  data.bytes += payload.length + (result?.length ?? 0)
  enterIndexes(data, job)
  if (row.superseded_by !== null) return job
  const keys = data.keys.get(row.workflow_type)
  if (keys === undefined) data.keys.set(row.workflow_type, new Map([[row.idempotency_key, row.seq]]))
  else keys.set(row.idempotency_key, row.seq)
  return job
}

/** Puts another row in the place of the job's. */
export const putRow = (data: MemoryData, job: StoredJob, row: JobRow): void => {
  leaveIndexes(data, job)
  job.row = row
  enterIndexes(data, job)
}

/** The job that holds a key. */
export const holderOf = (data: MemoryData, workflow: string, key: string): StoredJob | undefined => {
  const seq = data.keys.get(workflow)?.get(key)
  return seq === undefined ? undefined : data.jobs.get(seq)
}

/** The job's letter, if it has one. */
export const letterOf = (data: MemoryData, { letter }: StoredJob) =>
  letter === null ? undefined : data.letters.get(letter)?.row

/** How many letters the job adds to the count: 1 or 0. */
export const letterCounts = (data: MemoryData, job: StoredJob): 0 | 1 =>
  job.row.superseded_by === null && letterOf(data, job)?.discarded_at === null ? 1 : 0

const mayBeReplayed = (data: MemoryData, job: StoredJob): boolean =>
  letterCounts(data, job) === 1 && letterOf(data, job)?.replay_eligible === 1

/** Whether nothing needs the job any more; what comes after it in its chain reads its markers (R31). */
const mayGo = (data: MemoryData, job: StoredJob, before: number): boolean => {
  let each: StoredJob | undefined = job
  while (each !== undefined) {
    if (!data.finished.has(each.row.seq) || each.row.updated_at >= before || mayBeReplayed(data, each))
      return false
    each = each.row.superseded_by === null ? undefined : data.jobs.get(each.row.superseded_by)
  }
  return true
}

const forget = (data: MemoryData, job: StoredJob): void => {
  const { row } = job
  leaveIndexes(data, job)
  if (holderOf(data, row.workflow_type, row.idempotency_key) === job)
    data.keys.get(row.workflow_type)?.delete(row.idempotency_key)
  for (const sequence of job.events) data.events.remove(sequence)
  for (const cursor of job.retries) data.retries.remove(cursor)
  for (const cursor of job.markers.values()) data.markers.remove(cursor)
  for (const intent of job.intents) {
    const request = data.intents.get(intent)?.row.request_id
    if (request !== null && request !== undefined) data.requests.delete(request)
    data.intents.remove(intent)
  }
  if (job.letter !== null) {
    data.letterCount -= letterCounts(data, job)
    data.letters.remove(job.letter)
  }
  data.bytes -= job.payload.length + (job.result?.length ?? 0)
  data.jobs.remove(row.seq)
}

/** Forgets what is finished before an instant, oldest first, and answers how much. */
export const prune = (
  data: MemoryData,
  { dry_run, finished_before, jobs, limit }: Parameters<StoreDriver["prune"]>[0]
): number => {
  const named = jobs === undefined ? null : new Set(jobs)
  const gone = data.jobs
    .pick(data.finished)
    .filter((job) => (named === null || named.has(job.row.seq)) && mayGo(data, job, finished_before))
    .toSorted((a, b) => a.row.updated_at - b.row.updated_at || a.row.seq - b.row.seq)
    .slice(0, limit)
  if (dry_run === true) return gone.length
  for (const job of gone) forget(data, job)
  if (gone.length > 0) data.writes += 1
  return gone.length
}
