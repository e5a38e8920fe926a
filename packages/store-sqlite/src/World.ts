/**
 * What a commit has to know before it can plan: the store's counters, the host that commits, and the rows that the unit touches.
 */
import { type CommitRows, HostFenced } from "@muster/core"
import { Effect } from "effect"
import type { JobLinks, JobPlace } from "./JobColumns.ts"
import type { Names } from "./Names.ts"
import { dataVersion, type RowsInHand } from "./RowsInHand.ts"
import { ask, bulk, read, readRows, type Connection, type Value } from "./Statements.ts"

/** A job that the unit changes or notes something about. */
export interface TouchedRow extends JobPlace, JobLinks {
  readonly state: number
  readonly owner_host: number | null
  readonly owner_epoch: number | null
  readonly superseded_by: number | null
}

/** The job that has the key of an insert. */
export interface HolderRow extends JobPlace {
  readonly idempotency_key: string
  readonly state: number
  readonly run_at: number
  readonly payload_fingerprint: string
}

/** A job that an insert replays. */
export interface ReplayedRow extends JobPlace {
  readonly idempotency_key: string
  readonly superseded_by: number | null
  readonly state: number
  readonly ending: number | null
  /** Its letter's cursor, or null. */
  readonly letter: number | null
  /** Of its letter. */
  readonly discarded_at: number | null
}

export interface Counters {
  readonly last_job: number
  readonly last_event: number
  readonly last_ending: number
  readonly letters: number
  readonly horizon: number
}

/** The store as the unit meets it. */
export interface World {
  readonly storeId: string
  readonly counters: Counters
  readonly touched: ReadonlyMap<number, TouchedRow>
  readonly holders: ReadonlyArray<HolderRow>
  readonly replayed: ReadonlyMap<number, ReplayedRow>
  /** Jobs of this unit's results that have one already. */
  readonly answered: ReadonlySet<number>
  /** Jobs of this unit's letters that have one already, not discarded. */
  readonly lettered: ReadonlySet<number>
  /** Whether this ownership is of a host that still lives. */
  readonly lives: (host: number, epoch: number) => boolean
}

interface Head extends Counters {
  readonly id: string
  readonly epoch: number | null
  readonly turn: number | null
  readonly state: string | null
}

type Touched = readonly [
  workflow: number,
  priority: number,
  seq: number,
  version: number,
  held: number,
  lastEvent: number | null,
  ending: number | null,
  state: number,
  ownerHost: number | null,
  ownerEpoch: number | null,
  supersededBy: number | null
]

const findTouched = bulk(
  `SELECT s.workflow, s.priority, s.seq, s.version, s.held, s.last_event, s.ending, s.state, s.owner_host, s.owner_epoch, o.superseded_by
  FROM (VALUES`,
  1,
  `) wanted CROSS JOIN job_origin o ON o.seq = wanted.column1
  CROSS JOIN job_state s ON s.workflow = o.workflow AND s.priority = o.priority AND s.seq = o.seq`
)

const findHolders = bulk(
  `SELECT s.workflow, s.priority, s.seq, o.idempotency_key, s.state, s.run_at, o.payload_fingerprint
  FROM (VALUES`,
  2,
  `) wanted CROSS JOIN job_origin o
    ON o.workflow = wanted.column1 AND o.idempotency_key = wanted.column2 AND o.superseded_by IS NULL
  CROSS JOIN job_state s ON s.workflow = o.workflow AND s.priority = o.priority AND s.seq = o.seq`
)

const findReplayed = bulk(
  `SELECT o.workflow, o.priority, o.seq, o.idempotency_key, o.superseded_by, s.state, s.ending, l.cursor AS letter, l.discarded_at
  FROM (VALUES`,
  1,
  `) wanted CROSS JOIN job_origin o ON o.seq = wanted.column1
  CROSS JOIN job_state s ON s.workflow = o.workflow AND s.priority = o.priority AND s.seq = o.seq
  LEFT JOIN letter l ON l.job = o.seq`
)

const findAnswered = bulk(`SELECT job FROM job_end WHERE result IS NOT NULL AND ending IN (VALUES`, 1, `)`)

const findLettered = bulk(`SELECT job FROM letter WHERE discarded_at IS NULL AND job IN (VALUES`, 1, `)`)

const bySeq = <Row extends { readonly seq: number }>(rows: ReadonlyArray<Row>): ReadonlyMap<number, Row> =>
  new Map(rows.map((row) => [row.seq, row]))

const none: ReadonlyMap<number, TouchedRow> = new Map()

/** The rows with these numbers: from hand where they can't have moved, else from the tables. */
const touch = Effect.fnUntraced(function* (
  connection: Connection,
  inHand: RowsInHand,
  seqs: ReadonlyArray<number>
) {
  inHand.asOf(yield* dataVersion(connection))
  const touched = new Map<number, TouchedRow>()
  const missing: Array<number> = []
  for (const seq of seqs) {
    const row = inHand.get(seq)
    if (row === undefined) missing.push(seq)
    else touched.set(seq, row)
  }
  for (const row of yield* readRows<Touched>(connection, findTouched, missing)) {
    touched.set(row[2], {
      workflow: row[0],
      priority: row[1],
      seq: row[2],
      version: row[3],
      held: row[4],
      last_event: row[5],
      ending: row[6],
      state: row[7],
      owner_host: row[8],
      owner_epoch: row[9],
      superseded_by: row[10]
    })
  }
  return touched
})

/** Reads the world that a unit meets, within its transaction. Fails where the unit's host may not commit (R10). */
export const readWorld = Effect.fnUntraced(function* (
  connection: Connection,
  unit: CommitRows,
  names: Names,
  inHand: RowsInHand
) {
  const { changes, fence, inserts, notes } = unit
  const [head] = yield* ask<Head>(
    connection,
    `SELECT id, last_job, last_event, last_ending, letters, horizon, h.epoch, h.turn, h.state
    FROM store LEFT JOIN host h ON h.host = ?`,
    [fence === null ? null : fence.host]
  )
  if (head === undefined) return yield* Effect.die("the store has no row of its own")
  if (fence !== null && (head.state !== "live" || head.epoch !== fence.epoch || head.turn !== fence.turn - 1))
    return yield* new HostFenced({ host: fence.host, epoch: fence.epoch })

  const seqs = changes.map(({ seq }) => seq)
  for (const { job } of notes) if (job !== null) seqs.push(job)
  const touched = seqs.length === 0 ? none : yield* touch(connection, inHand, seqs)
  let strangers = false
  for (const { owner_host } of touched.values())
    strangers ||= owner_host !== null && owner_host !== fence?.host
  const living = strangers
    ? yield* ask<{ readonly host: number; readonly epoch: number }>(
        connection,
        `SELECT host, epoch FROM host WHERE state = 'live'`
      )
    : []
  const epochs = new Map(living.map(({ epoch, host }) => [host, epoch]))

  const keys: Array<Value> = []
  const replays: Array<Value> = []
  for (const { origin, supersedes } of inserts) {
    // A workflow that is new to this connection gets its number first, since a key is looked up by it.
    keys.push(names.workflow(origin.workflow_type), origin.idempotency_key)
    if (supersedes !== null) replays.push(supersedes)
  }
  const endings = changes.flatMap(({ result, seq }) => {
    const ending = result === null ? null : (touched.get(seq)?.ending ?? null)
    return ending === null ? [] : [ending]
  })
  const answered = yield* read<{ readonly job: number }>(connection, findAnswered, endings)
  const letters = changes.flatMap(({ letter, seq }) => (letter === null ? [] : [seq]))
  const lettered = yield* read<{ readonly job: number }>(connection, findLettered, letters)
  const world: World = {
    storeId: head.id,
    counters: head,
    touched,
    holders: yield* read<HolderRow>(connection, findHolders, keys),
    replayed: bySeq(yield* read<ReplayedRow>(connection, findReplayed, replays)),
    answered: new Set(answered.map(({ job }) => job)),
    lettered: new Set(lettered.map(({ job }) => job)),
    lives: (host, epoch) => epochs.get(host) === epoch
  }
  return world
})
