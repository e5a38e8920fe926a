/**
 * All that a memory store holds as one JSON text, and back: rows alone. Indexes and counts are made anew from them, so that a text
 * can't contradict itself.
 */
import type { EventRow, HostRow, JobRow, RecordRow } from "@muster/core"
import { letterCounts, MemoryData, putJob } from "./MemoryData.ts"
import type { Shelf } from "./Shelf.ts"

/** Raised when texts of before can't be read any more. */
const format = 1

/** What is numbered from 1: what is there, and the last number that was ever used. */
interface Numbered<Item> {
  readonly last: number
  readonly all: ReadonlyArray<Item>
}

type RecordOf<Kind extends RecordRow["kind"]> = Extract<RecordRow, { readonly kind: Kind }>

interface Snapshot {
  readonly format: typeof format
  readonly id: string
  readonly jobs: Numbered<{
    readonly row: JobRow
    readonly payload: string
    readonly result: string | null
  }>
  readonly events: Numbered<EventRow>
  readonly retries: Numbered<RecordOf<"retries">>
  readonly letters: Numbered<RecordOf<"letters">>
  readonly markers: Numbered<RecordOf<"markers">>
  readonly intents: Numbered<RecordOf<"intents">>
  readonly breakers: Numbered<RecordOf<"breakers">>
  readonly messages: Numbered<RecordOf<"messages">>
  readonly message_count: number
  readonly hosts: Numbered<HostRow>
  readonly banks: ReadonlyArray<RecordOf<"banks">>
}

const numbered = <Item>(shelf: Shelf<Item>): Numbered<Item> => ({ last: shelf.last, all: shelf.all() })

export const snapshotOf = (data: MemoryData): string => {
  const snapshot: Snapshot = {
    format,
    id: data.id,
    jobs: {
      last: data.jobs.last,
      all: data.jobs.all().map(({ payload, result, row }) => ({ row, payload, result }))
    },
    events: numbered(data.events),
    retries: numbered(data.retries),
    letters: numbered(data.letters),
    markers: numbered(data.markers),
    intents: numbered(data.intents),
    breakers: numbered(data.breakers),
    messages: numbered(data.messages),
    message_count: data.messageCount,
    hosts: numbered(data.hosts),
    banks: [...data.banks.values()]
  }
  return JSON.stringify(snapshot)
}

const cursorOf = ({ cursor }: RecordRow): number => cursor

const fillShelves = (data: MemoryData, snapshot: Snapshot): void => {
  const { breakers, events, hosts, intents, letters, markers, messages, retries } = snapshot
  data.events.fill(events.last, events.all, ({ sequence }) => sequence)
  data.retries.fill(retries.last, retries.all, cursorOf)
  data.letters.fill(letters.last, letters.all, cursorOf)
  data.markers.fill(markers.last, markers.all, cursorOf)
  data.intents.fill(intents.last, intents.all, cursorOf)
  data.breakers.fill(breakers.last, breakers.all, cursorOf)
  data.messages.fill(messages.last, messages.all, cursorOf)
  data.hosts.fill(hosts.last, hosts.all, ({ host }) => host)
  for (const bank of snapshot.banks) data.banks.set(bank.cursor, bank)
  data.messageCount = snapshot.message_count
}

/** What belongs to jobs goes to them; the shelves are full. */
const handOut = (data: MemoryData): void => {
  const jobOf = (seq: number | null) => (seq === null ? undefined : data.jobs.get(seq))
  for (const { job, sequence } of data.events.all()) jobOf(job)?.events.push(sequence)
  for (const { cursor, job } of data.retries.all()) jobOf(job)?.retries.push(cursor)
  for (const { cursor, job, row } of data.markers.all()) jobOf(job)?.markers.set(row.name, cursor)
  for (const { cursor, job } of data.letters.all()) {
    const holder = jobOf(job)
    if (holder !== undefined) holder.letter = cursor
  }
  for (const { cursor, job, row } of data.intents.all()) {
    jobOf(job)?.intents.push(cursor)
    if (row.request_id !== null) data.requests.set(row.request_id, cursor)
  }
}

/** What the text tells of; null where it is none of ours, or of another format. */
export const restored = (text: string): MemoryData | null => {
  // we have written it, or it is no snapshot at all: `format` tells, and a hand in the file is on its own
  const snapshot = JSON.parse(text) as Snapshot
  if (snapshot.format !== format) return null
  const data = new MemoryData(snapshot.id)
  data.jobs.fill(snapshot.jobs.last, [], () => 0)
  for (const { payload, result, row } of snapshot.jobs.all) putJob(data, row, payload, result)
  fillShelves(data, snapshot)
  handOut(data)
  for (const job of data.jobs.all()) data.letterCount += letterCounts(data, job)
  for (const { cursor, row } of data.breakers.all()) data.breakersByWorkflow.set(row.workflow_type, cursor)
  for (const { epoch, state } of data.hosts.all()) if (state === "live") data.living.add(epoch)
  return data
}
