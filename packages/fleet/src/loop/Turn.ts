/**
 * One turn: decide on what the mailbox brought, refill the free slots in the same decision, and commit everything as one unit.
 * The draft becomes the state when the commit has succeeded, so memory never runs ahead of the store.
 */
import {
  type Catalogue,
  type Command,
  type Committed,
  decide,
  defaults,
  Draft,
  type Env,
  type HostRow,
  Intent,
  isRunnable,
  type Job,
  refill,
  Spread,
  Store,
  usedSlots,
  type WorkflowPolicy
} from "@muster/core"
import { Clock, Effect } from "effect"
import { instant } from "../Instant.ts"
import type { Batch } from "./Mailbox.ts"

export interface TurnOptions {
  readonly host: HostRow
  /** Those that it was started with; an operator may want others. */
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
  /** False while it stops: it takes no new job. */
  refills: boolean
  /** What operators want of it. */
  control: Intent.Control
  /** Starts after a pause come one by one (R22); null: there is nothing to spread. */
  spread: Spread.Spread | null
  /** Hung incarnations that are still alive: as many as there are slots, and no new job is taken (R4). */
  hung: number
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
    control: Intent.uncontrolled,
    spread: null,
    hung: 0,
    mayHaveReady: true,
    nextDue: null
  }

  /** The slots that it has now. */
  const slots = (): number => state.control.slots ?? options.slots

  /** Slots that may be filled now; `nextAt`: when one may be that only waits for its turn after a pause, null for none. */
  const vacancy = (owned: HostState["owned"], now: number): { free: number; nextAt: number | null } => {
    const takes = state.refills && state.hung < slots() && Intent.mayClaim(state.control)
    const free = takes ? Math.max(0, slots() - usedSlots(owned)) : 0
    if (free === 0 || state.spread === null) return { free, nextAt: null }
    const allowed = Spread.allowance(state.spread, now, {
      slots: slots(),
      windowMillis: defaults.resumeSpreadMillis
    })
    if (allowed === null) {
      state.spread = null
      return { free, nextAt: null }
    }
    const { nextAt, starts } = allowed
    return starts === 0 ? { free: 0, nextAt } : { free: Math.min(free, starts), nextAt: null }
  }

  /** Fills the free slots with due jobs: peeked and decided in this very turn (R9). */
  const fill = Effect.fnUntraced(function* (draft: Draft.Draft, env: Env) {
    const due = state.mayHaveReady || (state.nextDue !== null && state.nextDue <= env.now)
    const { free } = due ? vacancy(draft.owned, env.now) : { free: 0 }
    if (free === 0) return
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
      if (isRunnable(job)) {
        state.nextDue = state.nextDue === null ? job.runAt : Math.min(state.nextDue, job.runAt)
      }
    }
    if (committed.inserted.length > 0) state.mayHaveReady = true
    const commands =
      committed.lost.size === 0
        ? draft.commands
        : draft.commands.filter((command) => !committed.lost.has(seqOf(command)))
    if (state.spread !== null) {
      const started = commands.filter(({ _tag }) => _tag === "Begin" || _tag === "Prepare").length
      state.spread = { ...state.spread, started: state.spread.started + started }
    }
    const settled = draft.settled.filter(({ job }) => job === undefined || !committed.lost.has(job))
    return { committed, written, settled, commands }
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

  return { state, slots, vacancy, turn }
})

export type Turn = Effect.Success<ReturnType<typeof make>>
