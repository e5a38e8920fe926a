/**
 * What the store must hold: kept beside it, from the commits that it has taken. Each commit is held to it when it happens, and the whole
 * store at the end, so that a driver that loses or mixes something is found by what it answers.
 */
import {
  type BreakerRow,
  type ChangeRow,
  type CommitRows,
  type CommittedRows,
  type EventDraftRow,
  type IntentDraftRow,
  isOver,
  type JobRow,
  type JobState
} from "@muster/core"
import { changedRow, insertedRow } from "../adapters/memory/Rows.ts"
import type { Verdict } from "./Verdict.ts"

/** A job's row and what the oracles want to know beside it. */
export interface Entry {
  row: JobRow
  /** Its number in the plan; 0 for a payload that doesn't fit. */
  readonly n: number
  result: string | null
  /** The lives that were declared hung. */
  readonly hung: Set<number>
  /** By name. */
  readonly markers: Map<string, { readonly state: string; readonly incarnation: number }>
  /** Every workspace that its row has ever named. */
  readonly places: Set<string>
}

/** An intent that somebody has written, and what came of it; null while it is open. */
export interface Wish {
  readonly draft: IntentDraftRow
  /** Milliseconds after the beginning. */
  readonly at: number
  outcome: string | null
}

const holdsSlot = ({ hung, owner_host, phase }: JobRow): boolean =>
  owner_host !== null && phase !== null && phase !== "archive" && phase !== "clean" && hung === 0

const isRunnable = ({ agent_state, hold, owner_host, standing, state }: JobRow): boolean =>
  (state === "PENDING" || state === "RETRY_SCHEDULED") &&
  hold === null &&
  owner_host === null &&
  (agent_state === null || standing === "waiting")

const planned = (payload: string): number => {
  const found = /"n":(\d+)/.exec(payload)?.[1]
  return found === undefined ? 0 : Number(found)
}

export interface LedgerOptions {
  /** Milliseconds after the beginning. */
  readonly now: () => number
  /** Told when a host has taken a job. */
  readonly taken: (epoch: number, seq: number) => void
  /** Told when a job has got its result. */
  readonly completed: (seq: number) => void
  /** The slots that the host of an epoch may use, at most. */
  readonly slotsOf: (epoch: number) => number
}

export class Ledger {
  readonly entries = new Map<number, Entry>()
  readonly wishes = new Map<number, Wish>()
  /** Epochs that are not over, with the number of each host's latest commit. */
  readonly living = new Map<number, number>()
  /** Jobs that may be taken when they are due. */
  readonly runnable = new Set<number>()
  readonly breakers = new Map<string, BreakerRow>()
  /** Commits that have taken effect, and intents that they have settled. */
  commits = 0
  settled = 0
  private readonly slots = new Map<number, Set<number>>()
  private readonly keys = new Map<string, number>()
  private readonly verdict: Verdict
  private readonly options: LedgerOptions

  constructor(verdict: Verdict, options: LedgerOptions) {
    this.verdict = verdict
    this.options = options
  }

  enlist(epoch: number): void {
    this.living.set(epoch, 0)
  }

  fence(epoch: number): void {
    this.living.delete(epoch)
  }

  /** The slots that an epoch's rows say are in use. */
  used(epoch: number): number {
    return this.slots.get(epoch)?.size ?? 0
  }

  /** A commit that has taken effect. */
  commit(unit: CommitRows, answer: CommittedRows): void {
    this.commits++
    this.turn(unit)
    unit.inserts.forEach((insert, index) => {
      const answered = answer.inserted[index]
      const key = `${insert.origin.workflow_type} ${insert.origin.idempotency_key}`
      if (answered === undefined) this.verdict.blame("store differs", `insert ${index} has no answer`)
      else if (answered.duplicate) {
        if (this.keys.get(key) !== answered.seq)
          this.verdict.blame("store differs", `key ${key} answers with job ${answered.seq}`)
      } else {
        if (this.keys.has(key) && insert.supersedes === null)
          this.verdict.blame("done twice", `key ${key} has jobs ${this.keys.get(key)} and ${answered.seq}`)
        this.keys.set(key, answered.seq)
        this.insert(answered.seq, insertedRow(answered.seq, insert), planned(insert.payload))
        const former = insert.supersedes === null ? undefined : this.entries.get(insert.supersedes)
        if (former !== undefined) former.row = { ...former.row, superseded_by: answered.seq }
      }
    })
    const lost = new Set(answer.lost)
    for (const change of unit.changes) if (!lost.has(change.seq)) this.change(unit, change)
    unit.intents.forEach((draft, index) => {
      const intent = answer.intents[index]
      if (intent === undefined) this.verdict.blame("store differs", `intent ${index} has no number`)
      else if (!this.wishes.has(intent))
        this.wishes.set(intent, { draft, at: this.options.now(), outcome: null })
    })
    for (const { intent, job, outcome } of unit.settled) {
      const wish = this.wishes.get(intent)
      if (wish !== undefined && (job === undefined || !lost.has(job))) wish.outcome ??= outcome
      this.settled++
    }
    for (const breaker of unit.breakers) this.breakers.set(breaker.workflow_type, breaker)
    if (unit.fence !== null) this.checkSlots(unit.fence.epoch)
  }

  private checkSlots(epoch: number): void {
    const used = this.used(epoch)
    if (used === 0) return
    const slots = this.options.slotsOf(epoch)
    if (used > slots) this.verdict.blame("slots exceeded", `epoch ${epoch} holds ${used} of ${slots} slots`)
  }

  private turn({ fence }: CommitRows): void {
    if (fence === null) return
    const turn = this.living.get(fence.epoch)
    if (turn === undefined)
      this.verdict.blame(
        "ownership broken",
        `host ${fence.host} commits under epoch ${fence.epoch}, which is over`
      )
    else if (fence.turn !== turn + 1)
      this.verdict.blame(
        "ownership broken",
        `host ${fence.host} commits turn ${fence.turn} after turn ${turn}`
      )
    if (turn !== undefined) this.living.set(fence.epoch, fence.turn)
  }

  private insert(seq: number, row: JobRow, n: number): void {
    this.entries.set(seq, { row, n, result: null, hung: new Set(), markers: new Map(), places: new Set() })
    this.runnable.add(seq)
  }

  private change({ fence }: CommitRows, change: ChangeRow): void {
    const { seq } = change
    const entry = this.entries.get(seq)
    if (entry === undefined) {
      this.verdict.blame("store differs", `job ${seq}, which isn't there, was changed`)
      return
    }
    const before = entry.row
    if (change.version !== before.version)
      this.verdict.blame(
        "ownership broken",
        `job ${seq} is at version ${before.version}, a change of version ${change.version} was taken`
      )
    const owner = before.owner_epoch
    if (owner !== null && this.living.has(owner) && owner !== fence?.epoch)
      this.verdict.blame(
        "ownership broken",
        `job ${seq} of epoch ${owner} was written by ${fence?.epoch ?? "nobody"}`
      )
    this.follow(seq, before, change)
    entry.row = changedRow(before, change)
    for (const { incarnation, name, state } of change.markers) entry.markers.set(name, { state, incarnation })
    if (entry.row.hung === 1) entry.hung.add(entry.row.incarnation)
    if (entry.row.workspace !== null) entry.places.add(entry.row.workspace)
    this.index(seq, before, entry.row)
    const begins = change.events.some(({ event }) => event === "validate" || event === "retry")
    if (begins && change.contested && fence !== null) this.options.taken(fence.epoch, seq)
    if (change.result === null) return
    if (entry.result !== null) this.verdict.blame("done twice", `job ${seq} has got a second result`)
    entry.result = change.result
    this.options.completed(seq)
  }

  /** The events of the change lead from the row as it was to the row as it is. */
  private follow(seq: number, before: JobRow, { events, state }: ChangeRow): void {
    const at: { [kind: string]: string | null } = { job: before.state, agent: before.agent_state }
    for (const event of events) {
      if (event.to_state === null) continue
      this.checkMove(seq, at[event.subject_kind] ?? null, event)
      at[event.subject_kind] = event.to_state
    }
    if (at["job"] !== state.state || at["agent"] !== state.agent_state)
      this.verdict.blame(
        "chain broken",
        `job ${seq}: its events lead to ${at["job"]}/${at["agent"]}, its row says ${state.state}/${state.agent_state}`
      )
  }

  private checkMove(seq: number, state: string | null, event: EventDraftRow): void {
    if (event.from_state !== state)
      this.verdict.blame(
        "chain broken",
        `job ${seq}: ${event.event} leaves ${event.from_state}, and it is ${state}`
      )
  }

  private index(seq: number, before: JobRow, after: JobRow): void {
    if (before.owner_epoch !== null) this.slots.get(before.owner_epoch)?.delete(seq)
    if (after.owner_epoch !== null && holdsSlot(after)) {
      const held = this.slots.get(after.owner_epoch)
      if (held === undefined) this.slots.set(after.owner_epoch, new Set([seq]))
      else held.add(seq)
    }
    if (isRunnable(after)) this.runnable.add(seq)
    else this.runnable.delete(seq)
  }

  /** A due job that a host of these workflows could take now; null: none. */
  due(now: number, serves: (workflow: string) => boolean): number | null {
    for (const seq of this.runnable) {
      const row = this.entries.get(seq)?.row
      if (row === undefined || row.run_at > now || !serves(row.workflow_type)) continue
      if (this.letsThrough(row.workflow_type, now)) return seq
    }
    return null
  }

  /** Whether the workflow's breaker lets a job start: it is closed, or a probe is due. */
  private letsThrough(workflow: string, now: number): boolean {
    const breaker = this.breakers.get(workflow)
    return (
      breaker === undefined ||
      breaker.state === "closed" ||
      (breaker.state === "open" && (breaker.probe_at ?? now) <= now)
    )
  }

  /** The jobs that are not at their end yet, in words. */
  unfinished(): ReadonlyArray<string> {
    return Array.from(this.entries.values()).flatMap(({ row }) => {
      // the store takes states of the table alone
      const over = isOver(row.state as JobState)
      const buried = row.agent_state === null || row.agent_state === "tombstoned"
      if (over && buried) return []
      const agent = row.agent_state === null ? "no agent" : `agent ${row.standing ?? row.agent_state}`
      return [`job ${row.seq} is ${row.state}, ${agent}, in ${row.phase ?? "no phase"}`]
    })
  }
}
