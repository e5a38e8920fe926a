/**
 * One turn: decide on what the mailbox brought, refill the free slots in the same decision, and commit everything as one unit.
 * The draft becomes the state when the commit has succeeded, so memory never runs ahead of the store.
 */
import {
  type Catalogue,
  type Command,
  type Committed,
  decide,
  Draft,
  type Env,
  type HostRow,
  type Job,
  refill,
  Store,
  usedSlots,
  type WorkflowPolicy
} from "@muster/core"
import { Clock, Effect } from "effect"
import { instant } from "../Instant.ts"
import type { Batch } from "./Mailbox.ts"

export interface TurnOptions {
  readonly host: HostRow
  readonly slots: number
  readonly seed: number
  readonly catalogue: Catalogue
  readonly workflows: ReadonlyMap<string, WorkflowPolicy>
}

/** What the host knows between two turns. */
export interface HostState {
  /** The jobs whose agents it owns, by number. */
  owned: ReadonlyMap<number, Job>
  /** The number of its latest commit (R10). */
  turn: number
  /** Takes no new job when false. */
  refills: boolean
  /** As many incarnations are hung as there are slots: no new job until one of them has ended (R4). */
  pressed: boolean
  /** The last peek found as much as it asked for, or something has come since: another peek may find more. */
  mayHaveReady: boolean
  /** When the next job becomes due, epoch ms; null: none is known. */
  nextDue: number | null
}

/** What a turn has brought about. */
export interface TurnDone {
  readonly committed: Committed
  /** The jobs that were written, as they are now. */
  readonly written: ReadonlyArray<Job>
  readonly settled: ReadonlyArray<{ readonly intent: number; readonly outcome: string }>
  readonly commands: ReadonlyArray<Command>
}

const seqOf = (command: Command): number => ("job" in command ? command.job.seq : command.seq)

export const make = Effect.fnUntraced(function* (options: TurnOptions) {
  const store = yield* Store
  const clock = yield* Clock.Clock
  const { epoch, host } = options.host
  const names = [...options.workflows.keys()]
  const state: HostState = {
    owned: new Map(),
    turn: options.host.turn,
    refills: true,
    pressed: false,
    mayHaveReady: true,
    nextDue: null
  }

  /** Fills the free slots with due jobs: peeked and decided in this very turn (R9). */
  const fill = Effect.fnUntraced(function* (draft: Draft.Draft, env: Env) {
    const free = options.slots - usedSlots(draft.owned)
    const due = state.mayHaveReady || (state.nextDue !== null && state.nextDue <= env.now)
    if (!state.refills || state.pressed || free <= 0 || !due) return
    const peek = yield* store.ready(names, env.now, free)
    state.mayHaveReady = peek.jobs.length >= free
    state.nextDue = peek.nextDue
    for (const { job, payload } of peek.jobs) refill(draft, env, job, payload ?? "null")
  })

  /** Takes the committed draft as the state, without the jobs that another host won. */
  const accept = (draft: Draft.Draft, committed: Committed): TurnDone => {
    for (const seq of committed.lost) {
      draft.owned.delete(seq)
      draft.changes.delete(seq)
    }
    state.owned = draft.owned
    state.turn++
    const written: Array<Job> = []
    for (const { job } of draft.changes.values()) {
      written.push(job)
      if (job.state === "RETRY_SCHEDULED" && job.agent?.owner === null) {
        state.nextDue = state.nextDue === null ? job.runAt : Math.min(state.nextDue, job.runAt)
      }
    }
    if (committed.inserted.length > 0) state.mayHaveReady = true
    const commands =
      committed.lost.size === 0
        ? draft.commands
        : draft.commands.filter((command) => !committed.lost.has(seqOf(command)))
    return { committed, written, settled: draft.settled, commands }
  }

  /** Null when there was nothing to write. `bank`: the snapshot to store along, or null. */
  const turn = Effect.fnUntraced(function* (batch: Batch, bank: string | null) {
    const now = instant(clock)
    const env: Env = {
      now,
      seed: options.seed,
      owner: { host, epoch },
      actor: `host:${host}`,
      catalogue: options.catalogue,
      workflows: options.workflows
    }
    const draft = Draft.begin(state.owned)
    for (const signal of batch.signals) decide(draft, signal, env)
    yield* fill(draft, env)
    if (Draft.isEmpty(draft) && batch.submissions.length === 0 && bank === null) return null
    const committed = yield* store.commit({
      fence: { host, epoch, turn: state.turn + 1 },
      at: now,
      inserts: batch.submissions.map(({ job }) => job),
      changes: draft.changes.values(),
      notes: draft.notes,
      settled: draft.settled,
      bank
    })
    return accept(draft, committed)
  })

  return { state, turn }
})

export type Turn = Effect.Success<ReturnType<typeof make>>
