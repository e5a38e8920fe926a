/**
 * One unit of work on the memory store: everything that may refuse it is asked before anything is written, so that it happens
 * whole or not at all.
 */
import {
  type BreakerRow,
  type ChangeRow,
  type CommitRows,
  type CommittedRows,
  type EventDraftRow,
  HostFenced,
  type InsertedRow,
  type InsertRow,
  type IntentDraftRow,
  type JobRow,
  limits,
  StoreBroken,
  StoreStale
} from "@muster/core"
import { brokenBreakers, brokenEvent, brokenEvents, brokenState } from "./Constraints.ts"
import {
  holderOf,
  letterCounts,
  letterOf,
  type MemoryData,
  putJob,
  putRow,
  type StoredJob
} from "./MemoryData.ts"
import { changedRow, insertedRow } from "./Rows.ts"

export type Refusal = HostFenced | StoreBroken | StoreStale

const broken = (detail: string) => new StoreBroken({ operation: "commit", detail, refused: true })

/** What stands against a fence; null for nothing. */
const refusedFence = (data: MemoryData, { fence }: CommitRows): HostFenced | null => {
  if (fence === null) return null
  const host = data.hosts.get(fence.host)
  return host !== undefined &&
    host.state === "live" &&
    host.epoch === fence.epoch &&
    host.turn === fence.turn - 1
    ? null
    : new HostFenced({ host: fence.host, epoch: fence.epoch })
}

const refusedInsert = (
  data: MemoryData,
  { events, origin, run_at, supersedes }: InsertRow
): string | null => {
  if (supersedes !== null) {
    const former = data.jobs.get(supersedes)?.row
    if (former === undefined) return `job ${supersedes}, which is to be superseded, doesn't exist`
    if (former.workflow_type !== origin.workflow_type || former.idempotency_key !== origin.idempotency_key)
      return `job ${supersedes}, which is to be superseded, has another key`
  }
  if (![origin.priority, origin.created_at, origin.max_retries, run_at].every(Number.isSafeInteger))
    return `the numbers of job "${origin.idempotency_key}" must be whole`
  return brokenEvents(events)
}

/** Whether the insert replays a job of which an operator has discarded the letter; where that was replayed before, it is a duplicate. */
const replaysDiscarded = (data: MemoryData, { supersedes }: InsertRow): boolean => {
  const former = supersedes === null ? undefined : data.jobs.get(supersedes)
  return (
    former !== undefined && former.row.superseded_by === null && letterOf(data, former)?.discarded_at != null
  )
}

/** Whether the fence may write the job's row: nobody living owns it but the fence itself, and not even that where it is contested. */
const mayWrite = (
  data: MemoryData,
  { owner_epoch, owner_host }: JobRow,
  unit: CommitRows,
  contested: boolean
): boolean => {
  if (owner_epoch === null || !data.living.has(owner_epoch)) return true
  return (
    !contested && unit.fence !== null && owner_epoch === unit.fence.epoch && owner_host === unit.fence.host
  )
}

interface Checked {
  /** The changes that happen, and their jobs. */
  readonly won: Array<readonly [change: ChangeRow, job: StoredJob]>
  readonly lost: Array<number>
}

const checkChanges = (data: MemoryData, unit: CommitRows): Checked | StoreBroken | StoreStale => {
  const checked: Checked = { won: [], lost: [] }
  const seen = new Set<number>()
  let stale: StoreStale | null = null
  for (const change of unit.changes) {
    const wrong = brokenState(change.state) ?? brokenEvents(change.events)
    if (wrong !== null) return broken(wrong)
    if (seen.has(change.seq)) return broken(`job ${change.seq} is changed twice`)
    seen.add(change.seq)
    const job = data.jobs.get(change.seq)
    if (
      job !== undefined &&
      job.row.version === change.version &&
      mayWrite(data, job.row, unit, change.contested)
    ) {
      if (change.result !== null && job.result !== null)
        return broken(`job ${change.seq} has a result already`)
      checked.won.push([change, job])
    } else if (change.contested) checked.lost.push(change.seq)
    else stale ??= new StoreStale({ operation: "commit", detail: `job ${change.seq}` })
  }
  return stale ?? checked
}

const check = (data: MemoryData, unit: CommitRows): Checked | Refusal => {
  const fenced = refusedFence(data, unit)
  if (fenced !== null) return fenced
  if (unit.fence === null && unit.bank !== null) return broken("only a host has a bank")
  if (unit.fence === null && unit.undelivered !== null) return broken("only a host has messages")
  if (unit.undelivered?.rows.some(({ reason }) => reason === "") === true)
    return broken("a message is undeliverable for a reason")
  if (unit.fence === null && unit.breakers.length > 0) return broken("only a host has breakers")
  const breaker = brokenBreakers(unit.breakers)
  if (breaker !== null) return broken(breaker)
  for (const insert of unit.inserts) {
    const wrong = refusedInsert(data, insert)
    if (wrong !== null) return broken(wrong)
    if (replaysDiscarded(data, insert))
      return new StoreStale({
        operation: "commit",
        detail: `the letter of job ${insert.supersedes} is discarded`
      })
  }
  for (const note of unit.notes) {
    const wrong = brokenEvent(note)
    if (wrong !== null) return broken(wrong)
    if (note.job !== null && data.jobs.get(note.job) === undefined)
      return broken(`no job ${note.job} to note on`)
  }
  for (const { job } of unit.intents)
    if (job !== null && data.jobs.get(job) === undefined) return broken(`no job ${job} for an intent`)
  return checkChanges(data, unit)
}

const writeEvent = (data: MemoryData, draft: EventDraftRow, job: StoredJob | null): void => {
  const sequence = data.events.add({
    sequence: data.events.last + 1,
    job: job === null ? null : job.row.seq,
    correlation_id: job === null ? null : job.row.correlation_id,
    subject_kind: draft.subject_kind,
    event: draft.event,
    from_state: draft.from_state,
    to_state: draft.to_state,
    transition_reason: draft.transition_reason,
    error_code: draft.error_code,
    actor: draft.actor,
    occurred_at: draft.occurred_at,
    incarnation: draft.incarnation,
    detail: draft.detail
  })
  job?.events.push(sequence)
}

const supersede = (data: MemoryData, job: StoredJob, by: number): void => {
  const letter = job.letter === null ? undefined : data.letters.get(job.letter)
  if (letter !== undefined) {
    data.letterCount -= letterCounts(data, job)
    data.letters.replace(letter.cursor, { ...letter, row: { ...letter.row, replayed_by: by } })
  }
  putRow(data, job, { ...job.row, superseded_by: by })
}

const writeInsert = (data: MemoryData, insert: InsertRow): InsertedRow => {
  const { origin, supersedes } = insert
  const holder = holderOf(data, origin.workflow_type, origin.idempotency_key)?.row
  if (holder !== undefined && holder.seq !== supersedes)
    return {
      duplicate: true,
      seq: holder.seq,
      state: holder.state,
      run_at: holder.run_at,
      payload_fingerprint: holder.payload_fingerprint
    }
  const seq = data.jobs.last + 1
  const former = supersedes === null ? undefined : data.jobs.get(supersedes)
  if (former !== undefined) supersede(data, former, seq)
  const job = putJob(data, insertedRow(seq, insert), insert.payload)
  for (const event of insert.events) writeEvent(data, event, job)
  return { duplicate: false, seq }
}

const writeBelongings = (
  data: MemoryData,
  { letter, markers, result, retry }: ChangeRow,
  job: StoredJob
): void => {
  const { seq, superseded_by } = job.row
  if (result !== null) {
    job.result = result
    data.bytes += result.length
  }
  if (retry !== null)
    job.retries.push(
      data.retries.add({ kind: "retries", cursor: data.retries.last + 1, job: seq, row: { ...retry } })
    )
  if (letter !== null) {
    const row = { ...letter, replayed_by: superseded_by }
    const counted = letterCounts(data, job)
    if (job.letter !== null)
      data.letters.replace(job.letter, { kind: "letters", cursor: job.letter, job: seq, row })
    else job.letter = data.letters.add({ kind: "letters", cursor: data.letters.last + 1, job: seq, row })
    data.letterCount += letterCounts(data, job) - counted
  }
  for (const marker of markers) {
    const former = job.markers.get(marker.name)
    if (former === undefined) {
      const cursor = data.markers.last + 1
      job.markers.set(
        marker.name,
        data.markers.add({ kind: "markers", cursor, job: seq, row: { ...marker } })
      )
    } else data.markers.replace(former, { kind: "markers", cursor: former, job: seq, row: { ...marker } })
  }
}

const writeChange = (data: MemoryData, change: ChangeRow, job: StoredJob): void => {
  putRow(data, job, changedRow(job.row, change))
  for (const event of change.events) writeEvent(data, event, job)
  writeBelongings(data, change, job)
}

const writeIntent = (data: MemoryData, draft: IntentDraftRow): number => {
  const former = draft.request_id === null ? undefined : data.requests.get(draft.request_id)
  if (former !== undefined) return former
  const intent = data.intents.last + 1
  const row = { ...draft, intent, settled_at: null, outcome: null }
  data.intents.add({ kind: "intents", cursor: intent, job: draft.job, row })
  if (draft.request_id !== null) data.requests.set(draft.request_id, intent)
  if (draft.job !== null) data.jobs.get(draft.job)?.intents.push(intent)
  return intent
}

const settle = (data: MemoryData, intent: number, outcome: string, at: number): void => {
  const record = data.intents.get(intent)
  if (record === undefined || record.row.settled_at !== null) return
  data.intents.replace(intent, { ...record, row: { ...record.row, settled_at: at, outcome } })
}

const writeBreaker = (data: MemoryData, row: BreakerRow): void => {
  const former = data.breakersByWorkflow.get(row.workflow_type)
  const cursor = former ?? data.breakers.last + 1
  const record = { kind: "breakers" as const, cursor, job: null, row: { ...row } }
  if (former === undefined) data.breakersByWorkflow.set(row.workflow_type, data.breakers.add(record))
  else data.breakers.replace(former, record)
}

/** The newest stay. */
const writeMessages = (data: MemoryData, { undelivered }: CommitRows): void => {
  if (undelivered === null) return
  data.messageCount += undelivered.count
  for (const row of undelivered.rows) {
    const cursor = data.messages.last + 1
    data.messages.add({ kind: "messages", cursor, job: null, row: { ...row } })
    if (cursor > limits.deadMessages) data.messages.remove(cursor - limits.deadMessages)
  }
}

const writeHost = (data: MemoryData, { at, bank, breakers, fence }: CommitRows): void => {
  for (const breaker of breakers) writeBreaker(data, breaker)
  if (fence === null) return
  const row = data.hosts.get(fence.host)
  if (row !== undefined) data.hosts.replace(fence.host, { ...row, turn: fence.turn })
  if (bank === null) return
  for (const host of data.banks.keys()) if (data.hosts.get(host)?.state !== "live") data.banks.delete(host)
  data.banks.set(fence.host, {
    kind: "banks",
    cursor: fence.host,
    job: null,
    row: { host: fence.host, at, bank }
  })
}

/** Makes the unit happen, or answers why it may not. */
export const commit = (data: MemoryData, unit: CommitRows): CommittedRows | Refusal => {
  const checked = check(data, unit)
  if (!("won" in checked)) return checked
  const inserted = unit.inserts.map((insert) => writeInsert(data, insert))
  for (const [change, job] of checked.won) writeChange(data, change, job)
  for (const { job, ...note } of unit.notes)
    writeEvent(data, note, job === null ? null : (data.jobs.get(job) ?? null))
  const intents = unit.intents.map((draft) => writeIntent(data, draft))
  for (const { intent, job, outcome } of unit.settled)
    if (job === undefined || !checked.lost.includes(job)) settle(data, intent, outcome, unit.at)
  writeHost(data, unit)
  writeMessages(data, unit)
  data.writes += 1
  return { inserted, lost: checked.lost, intents, sequence: data.events.last }
}
