/**
 * What a unit of work writes, worked out from the unit and from the rows that it touches as they are now. Nothing here talks to the
 * database: `Commit.ts` reads, plans and writes within one transaction, so that what was read can't have moved.
 */
import {
  type ChangeRow,
  type CommitRows,
  type EventDraftRow,
  type InsertedRow,
  type InsertRow,
  isOver,
  JobMachine,
  type JobStateRow
} from "@muster/core"
import { created, pushState } from "./JobColumns.ts"
import { type Names, ownAgent } from "./Names.ts"
import type { Value } from "./Statements.ts"
import { jobStates, unknownWord } from "./Words.ts"
import type { Counters, HolderRow, ReplayedRow, TouchedRow, World } from "./World.ts"

export type Refusal =
  | { readonly _tag: "Stale"; readonly detail: string }
  | { readonly _tag: "Broken"; readonly detail: string }

/** A row of `job_state` as the unit leaves it, and what it writes into it. */
interface Written {
  readonly row: JobStateRow
  readonly now: { -readonly [Column in keyof TouchedRow]: TouchedRow[Column] }
}

const pending = jobStates.number("PENDING") ?? unknownWord
const over: ReadonlySet<number | null> = new Set(JobMachine.states.filter(isOver).map(jobStates.number))

const keyOf = (workflow: number, key: string): string => `${workflow} ${key}`

export class CommitPlan {
  readonly inserted: Array<InsertedRow> = []
  readonly lost: Array<number> = []
  readonly origins: Array<Value> = []
  readonly states: Array<Value> = []
  readonly endings: Array<Value> = []
  readonly events: Array<Value> = []
  readonly retries: Array<Value> = []
  readonly letters: Array<Value> = []
  readonly markers: Array<Value> = []
  /** Workflow, state and difference, for each pair that moved. */
  readonly tally: Array<Value> = []
  /** Results of jobs that have ended before. */
  readonly lateResults: Array<{ readonly ending: number; readonly result: string }> = []
  /** Jobs that lose their key to a new one. */
  readonly superseded: Array<{
    readonly by: number
    readonly ending: number | null
    readonly job: ReplayedRow
  }> = []
  /** Jobs whose chain gets a note and nothing else. */
  readonly noted = new Map<number, Written["now"]>()
  readonly written = new Map<number, Written>()
  readonly counters: { -readonly [Counter in keyof Counters]: Counters[Counter] }
  refusal: Refusal | undefined

  private readonly moved = new Map<number, number>()
  private readonly holders = new Map<string, Omit<HolderRow, "idempotency_key">>()

  private readonly unit: CommitRows
  private readonly world: World
  private readonly names: Names

  constructor(unit: CommitRows, world: World, names: Names) {
    this.unit = unit
    this.world = world
    this.names = names
    this.counters = { ...world.counters, horizon: Math.max(world.counters.horizon, unit.at) }
    for (const row of world.holders) this.holders.set(keyOf(row.workflow, row.idempotency_key), row)
    if (unit.fence === null && unit.breakers.length > 0) this.refuse("Broken", "only a host has breakers")
    if (unit.fence === null && unit.undelivered !== null) this.refuse("Broken", "only a host has messages")
    for (const insert of unit.inserts) this.insert(insert)
    for (const change of unit.changes) this.change(change)
    for (const note of unit.notes) this.note(note, note.job)
    for (const { now, row } of this.written.values()) pushState(this.states, now, row, this.counters.horizon)
    for (const [pair, difference] of this.moved)
      if (difference !== 0) this.tally.push(Math.floor(pair / 16), pair % 16, difference)
  }

  private insert(insert: InsertRow): void {
    const { origin, supersedes } = insert
    const workflow = this.names.workflow(origin.workflow_type)
    const key = keyOf(workflow, origin.idempotency_key)
    const replayed = supersedes === null ? undefined : this.world.replayed.get(supersedes)
    if (supersedes !== null) {
      if (replayed?.workflow !== workflow || replayed.idempotency_key !== origin.idempotency_key) {
        this.refuse("Broken", `job ${supersedes} with this key does not exist and can't be superseded`)
        return
      }
    }
    const holder = this.holders.get(key)
    if (holder !== undefined && holder.seq !== replayed?.seq) {
      const { payload_fingerprint, run_at, seq } = holder
      const state = jobStates.word(holder.state) ?? ""
      this.inserted.push({ duplicate: true, seq, state, run_at, payload_fingerprint })
      return
    }
    if (replayed !== undefined && replayed.discarded_at !== null) {
      this.refuse("Stale", `the letter of job ${replayed.seq} is discarded`)
      return
    }
    const seq = this.next("last_job")
    const { payload_fingerprint, priority } = origin
    this.holders.set(key, {
      workflow,
      priority,
      seq,
      state: pending,
      run_at: insert.run_at,
      payload_fingerprint
    })
    if (replayed !== undefined) {
      // A letter kept this job out of the table of the ended; now nothing does.
      const ended = replayed.ending === null && over.has(replayed.state)
      const ending = ended ? this.end(replayed.seq, null) : replayed.ending
      this.superseded.push({ by: seq, ending, job: replayed })
      if (replayed.letter !== null && replayed.superseded_by === null) this.counters.letters -= 1
    }
    this.inserted.push({ duplicate: false, seq })
    this.origins.push(
      seq,
      workflow,
      origin.priority,
      origin.idempotency_key,
      payload_fingerprint,
      origin.created_at,
      origin.max_retries,
      origin.correlation_id,
      origin.trace_context,
      origin.replay_of,
      insert.payload
    )
    const now = {
      workflow,
      priority,
      seq,
      version: 1,
      held: 0,
      last_event: null,
      ending: null,
      state: pending,
      owner_host: null,
      owner_epoch: null,
      superseded_by: null
    }
    this.written.set(seq, { row: created(insert), now })
    this.chain(now, seq, insert.events)
    this.count(workflow, pending, 1)
  }

  private change(change: ChangeRow): void {
    const { letter, result, retry, seq, state } = change
    const found = this.world.touched.get(seq)
    if (found === undefined || !this.mayWrite(found, change)) {
      if (change.contested) this.lost.push(seq)
      else this.refuse("Stale", `job ${seq} is not at version ${change.version}, or another host owns it`)
      return
    }
    if (result !== null && this.world.answered.has(seq)) {
      this.refuse("Broken", `job ${seq} has a result already`)
      return
    }
    let held = found.held
    if (letter !== null) {
      const mine = found.superseded_by === null
      held = mine && letter.replay_eligible === 1 && letter.discarded_at === null ? 1 : 0
      if (mine)
        this.counters.letters +=
          (letter.discarded_at === null ? 1 : 0) - (this.world.lettered.has(seq) ? 1 : 0)
      this.letters.push(
        seq,
        letter.final_state,
        letter.failure_error_code,
        letter.failure_summary,
        letter.quarantined_at,
        letter.replay_eligible,
        letter.raw,
        letter.discarded_at
      )
    }
    if (retry !== null)
      this.retries.push(
        seq,
        retry.attempt,
        retry.incarnation,
        retry.error_code,
        retry.burned,
        retry.delay_ms,
        retry.next_at,
        retry.at,
        retry.failure
      )
    for (const { at, incarnation, name, result: value, state: word } of change.markers)
      this.markers.push(seq, name, word, incarnation, at, value)
    const next = jobStates.number(state.state) ?? unknownWord
    let ending = found.ending
    if (ending === null) {
      if (result !== null || (held === 0 && over.has(next))) ending = this.end(seq, result)
    } else if (result !== null) this.lateResults.push({ ending, result })
    const now = {
      workflow: found.workflow,
      priority: found.priority,
      seq,
      version: found.version + 1,
      held,
      last_event: found.last_event,
      ending,
      state: next,
      owner_host: state.owner_host,
      owner_epoch: state.owner_epoch,
      superseded_by: found.superseded_by
    }
    this.written.set(seq, { row: state, now })
    this.chain(now, seq, change.events)
    if (next !== found.state) {
      this.count(found.workflow, found.state, -1)
      this.count(found.workflow, next, 1)
    }
  }

  /** Whether the row is as the change expects it and nobody else's (R8): each of the two checks is needed without the other. */
  private mayWrite(row: TouchedRow, { contested, version }: ChangeRow): boolean {
    const { fence } = this.unit
    if (row.version !== version) return false
    if (row.owner_host === null || row.owner_epoch === null) return true
    if (row.owner_host === fence?.host && row.owner_epoch === fence.epoch) return !contested
    return !this.world.lives(row.owner_host, row.owner_epoch)
  }

  private note(draft: EventDraftRow, job: number | null): void {
    const written = job === null ? undefined : this.written.get(job)
    if (written !== undefined) return this.chain(written.now, job, [draft])
    const touched = job === null ? undefined : this.world.touched.get(job)
    if (touched === undefined) return this.chain({ last_event: null }, job, [draft])
    const now = this.noted.get(touched.seq) ?? { ...touched }
    this.noted.set(touched.seq, now)
    return this.chain(now, job, [draft])
  }

  /** Appends events, each naming the job's one before it. */
  private chain(
    link: { last_event: number | null },
    job: number | null,
    drafts: ReadonlyArray<EventDraftRow>
  ): void {
    const own = job === null ? "" : `agent:${this.world.storeId}-${job}`
    for (const draft of drafts) {
      const sequence = this.next("last_event")
      this.events.push(
        sequence,
        job,
        this.names.move(draft),
        draft.actor === own && job !== null ? ownAgent : this.names.actor(draft.actor),
        draft.occurred_at,
        draft.incarnation,
        link.last_event,
        draft.error_code,
        draft.detail
      )
      link.last_event = sequence
    }
  }

  /** Notes that the job is over, or has its result; answers the number of the row. */
  private end(job: number, result: string | null): number {
    const ending = this.next("last_ending")
    this.endings.push(ending, job, result)
    return ending
  }

  private next(counter: "last_job" | "last_event" | "last_ending"): number {
    this.counters[counter] += 1
    return this.counters[counter]
  }

  private count(workflow: number, state: number, difference: number): void {
    const pair = workflow * 16 + state
    this.moved.set(pair, (this.moved.get(pair) ?? 0) + difference)
  }

  private refuse(tag: Refusal["_tag"], detail: string): void {
    this.refusal ??= { _tag: tag, detail }
  }
}
