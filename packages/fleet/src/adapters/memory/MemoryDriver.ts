/** The operations of the Store contract over what a memory store holds, as often as there are handles on it. */
import {
  type AgentsQuery,
  type CommittedRows,
  type EventRow,
  HostFenced,
  type HostRow,
  type JobRow,
  type JobsQuery,
  type JobsRows,
  type JobWithBodiesRow,
  pageOf,
  type RecordRow,
  type RecordsQuery,
  type StoreDriver,
  type TallyRows
} from "@muster/core"
import { Effect } from "effect"
import { holderOf, MemoryData, prune, type StoredJob } from "./MemoryData.ts"
import { commit, type Refusal } from "./Unit.ts"
import { codesOf, vocabularyOf } from "./Vocabulary.ts"

export interface MemoryDriver extends StoreDriver {
  /** Another handle on the same data, as another process would have a second connection. */
  readonly reopen: () => MemoryDriver
}

const bare = (row: JobRow): JobWithBodiesRow => ({ ...row, payload: null, result: null })
const whole = ({ payload, result, row }: StoredJob): JobWithBodiesRow => ({ ...row, payload, result })

const jobsOf = (data: MemoryData, query: JobsQuery): JobsRows => {
  if (query.by === "ready") {
    const { nextDue, seqs } = data.ready.peek(query.workflows, query.now, query.limit)
    return { rows: data.jobs.pick(seqs).map(whole), next_due: nextDue }
  }
  if (query.by === "seq") {
    const jobs = data.jobs.pick(new Set(query.seqs))
    return { rows: query.bodies ? jobs.map(whole) : jobs.map(({ row }) => bare(row)), next_due: null }
  }
  if (query.by === "key") {
    const holder = holderOf(data, query.workflow_type, query.idempotency_key)
    return { rows: holder === undefined ? [] : [bare(holder.row)], next_due: null }
  }
  const { after, limit, state, workflow } = query
  const asked = ({ row }: StoredJob) =>
    (state === null || row.state === state) && (workflow === null || row.workflow_type === workflow)
  return { rows: data.jobs.page(after, limit, asked).map(({ row }) => bare(row)), next_due: null }
}

/** Owned by an epoch that is over, or unowned and still to be archived or cleaned. */
const isOrphaned = (data: MemoryData, { agent_state, owner_epoch, standing }: JobRow): boolean =>
  owner_epoch === null
    ? agent_state === "landed" || (agent_state === "abandoned" && standing === "closing")
    : !data.living.has(owner_epoch)

const agentsOf = (data: MemoryData, query: AgentsQuery): ReadonlyArray<JobWithBodiesRow> => {
  if (query.by === "owner") {
    const seqs = [...(data.owned.get(query.epoch) ?? [])].toSorted((a, b) => a - b)
    return data.jobs.pick(seqs).flatMap(({ row }) => (row.owner_host === query.host ? [bare(row)] : []))
  }
  const states = new Set<string | null>(query.by === "state" ? query.states : [])
  const asked = ({ row }: StoredJob) =>
    query.by === "state" ? states.has(row.agent_state) : isOrphaned(data, row)
  return data.jobs.page(query.after, query.limit, asked).map(({ row }) => bare(row))
}

const eventsOf = (data: MemoryData, query: Parameters<StoreDriver["events"]>[0]): ReadonlyArray<EventRow> => {
  const { after, hosts, job, limit, order } = query
  const isWanted = (row: EventRow) => hosts !== true || row.job === null
  if (job === null)
    return order === "ascending"
      ? data.events.page(after, limit, isWanted)
      : data.events.pageBack(after, limit, isWanted)
  const sequences = data.jobs.get(job)?.events ?? []
  const wanted =
    order === "ascending"
      ? sequences.filter((sequence) => sequence > after)
      : sequences.filter((sequence) => after === 0 || sequence < after).toReversed()
  return data.events.pick(wanted.slice(0, limit))
}

const recordsOf = (data: MemoryData, query: RecordsQuery): ReadonlyArray<RecordRow> => {
  const { after, job, kind, limit } = query
  if (kind === "hosts" || kind === "banks") {
    if (job !== null) return []
    const hosts = data.hosts.page(after, kind === "hosts" ? limit : Number.POSITIVE_INFINITY)
    return kind === "hosts"
      ? hosts.map((row) => ({ kind, cursor: row.host, job: null, row }))
      : hosts.flatMap(({ host }) => data.banks.get(host) ?? []).slice(0, limit)
  }
  if (kind === "breakers" || kind === "messages") return job === null ? data[kind].page(after, limit) : []
  if (kind === "vocabulary" || kind === "codes") {
    if (job !== null) return []
    return kind === "vocabulary"
      ? pageOf(vocabularyOf(data), after, limit).map(({ cursor, row }) => ({ kind, cursor, job: null, row }))
      : pageOf(codesOf(data), after, limit).map(({ cursor, row }) => ({ kind, cursor, job: null, row }))
  }
  const isOpen = (record: RecordRow): boolean =>
    query.open !== true ||
    ((record.kind !== "intents" || record.row.settled_at === null) &&
      (record.kind !== "letters" || record.row.discarded_at === null))
  if (job === null) return data[kind].page(after, limit, isOpen)
  const stored = data.jobs.get(job)
  if (stored === undefined) return []
  const numbers = {
    retries: () => stored.retries,
    letters: () => (stored.letter === null ? [] : [stored.letter]),
    markers: () => [...stored.markers.values()],
    intents: () => stored.intents
  }
  const mine: ReadonlyArray<RecordRow> = data[kind].pick(numbers[kind]().filter((cursor) => cursor > after))
  return mine.filter(isOpen).slice(0, limit)
}

const tallyOf = (data: MemoryData, now: number): TallyRows => ({
  jobs: Array.from(data.counts, ([workflow_type, states]) =>
    Array.from(states, ([state, count]) => ({ workflow_type, state, count }))
  ).flat(),
  oldest_ready: data.ready.oldest(now),
  sequence: data.events.last,
  letters: data.letterCount,
  parked: data.parkedCount,
  messages: data.messageCount,
  bytes: data.bytes
})

const enlist = (data: MemoryData, identity: string, at: number): HostRow => {
  const host = data.hosts.last + 1
  const row = { host, epoch: host, turn: 0, beat: 0, beat_at: at, enlisted_at: at, state: "live", identity }
  data.hosts.add(row)
  data.living.add(row.epoch)
  data.writes += 1
  return row
}

/** The row of a host whose epoch is not over. */
const livingHost = (data: MemoryData, host: number, epoch: number): HostRow | undefined => {
  const row = data.hosts.get(host)
  return row !== undefined && row.epoch === epoch && row.state === "live" ? row : undefined
}

const renew = (data: MemoryData, host: number, epoch: number, at: number): HostRow | HostFenced => {
  const row = livingHost(data, host, epoch)
  if (row === undefined) return new HostFenced({ host, epoch })
  const renewed = { ...row, beat: row.beat + 1, beat_at: at }
  data.hosts.replace(host, renewed)
  return renewed
}

const fence = (data: MemoryData, { as, beat, epoch, host }: Parameters<StoreDriver["fence"]>[0]): boolean => {
  const row = livingHost(data, host, epoch)
  if (row === undefined || (beat !== null && row.beat !== beat)) return false
  data.hosts.replace(host, { ...row, state: as })
  data.living.delete(epoch)
  data.writes += 1
  return true
}

/** A failure where the answer is an error, else a success. */
const answer = <A extends object, E extends Refusal>(value: A | E): Effect.Effect<A, E> =>
  "_tag" in value ? Effect.fail(value) : Effect.succeed(value)

/** One handle: as with a connection to SQLite, its token of change moves by what others write. */
export const driverOf = (data: MemoryData): MemoryDriver => {
  let own = 0
  const writing = <A, E>(write: () => Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      const before = data.writes
      const answered = write()
      own += data.writes - before
      return answered
    })
  return {
    open: Effect.succeed({ id: data.id, name: "memory" }),
    enlist: ({ at, identity }) => writing(() => Effect.succeed(enlist(data, identity, at))),
    renew: ({ at, epoch, host }) =>
      Effect.suspend(() => answer<HostRow, HostFenced>(renew(data, host, epoch, at))),
    fence: (request) => writing(() => Effect.succeed(fence(data, request))),
    commit: (unit) => writing(() => answer<CommittedRows, Refusal>(commit(data, unit))),
    jobs: (query) => Effect.sync(() => jobsOf(data, query)),
    agents: (query) => Effect.sync(() => agentsOf(data, query)),
    events: (query) => Effect.sync(() => eventsOf(data, query)),
    records: (query) => Effect.sync(() => recordsOf(data, query)),
    tally: ({ now }) => Effect.sync(() => tallyOf(data, now)),
    changed: Effect.sync(() => data.writes - own),
    prune: (request) => writing(() => Effect.succeed(prune(data, request))),
    reopen: () => driverOf(data)
  }
}
