/**
 * One turn: decide on what the mailbox brought, refill the free slots in the same decision, and commit everything as one unit.
 * The draft becomes the state when the commit has succeeded, so memory never runs ahead of the store.
 */
import {
  type Breaker,
  type BreakerRow,
  type CancelWish,
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
  settleProbes,
  type Signal,
  Spread,
  Store,
  usedSlots,
  type WorkflowPolicy
} from "@muster/core"
import { Clock, Effect } from "effect"
import { instant, monotonic } from "../Instant.ts"
import type { Burial, DeadMessages } from "../messages/DeadMessages.ts"
import type { Meters } from "../observability/Meters.ts"
import * as Breakers from "./Breakers.ts"
import { CommitPace } from "./CommitPace.ts"
import { patiently } from "./Host.ts"
import type { Batch } from "./Mailbox.ts"
import * as Peek from "./Peek.ts"
import type { Scarce } from "./Pressure.ts"
import { Throughput } from "./Throughput.ts"
import * as Uncertain from "./Uncertain.ts"

export interface TurnOptions {
  readonly host: HostRow
  /** Those that it was started with; an operator may want others. */
  readonly slots: number
  readonly seed: number
  readonly catalogue: Catalogue
  readonly workflows: ReadonlyMap<string, WorkflowPolicy>
  /** The messages that nobody has taken: written along with what is decided. */
  readonly burials: DeadMessages
  readonly meters: Meters
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
  /** The cancels that nobody has settled, by job. */
  cancels: ReadonlyMap<number, CancelWish>
  /** Some of what operators want ends by what this host does: it is looked at soon again, whether or not the store changes. */
  restless: boolean
  /** Starts after a pause come one by one (R22); null: there is nothing to spread. */
  spread: Spread.Spread | null
  /** Hung incarnations that are still alive: as many as there are slots, and no new job is taken (R4). */
  hung: number
  /** What is below its floor: no new job is taken (R13); null: nothing. */
  scarce: Scarce | null
  /** The last peek found as much as it asked for, or something has come since: another peek may find more. */
  mayHaveReady: boolean
  /** When the next job becomes due, epoch ms; null: none is known. */
  nextDue: number | null
  /** The storm breakers, by workflow; one that is not there has never opened. */
  breakers: ReadonlyMap<string, Breaker.Breaker>
}

/** What a turn has brought about. */
export interface TurnDone {
  readonly committed: Committed
  /** The jobs that were written, as they are now. */
  readonly written: ReadonlyArray<Job>
  readonly settled: ReadonlyArray<{ readonly intent: number; readonly outcome: string }>
  /** Storm breakers that have opened, half-opened or closed. */
  readonly tripped: ReadonlyArray<BreakerRow>
  readonly commands: ReadonlyArray<Command>
}

const seqOf = (command: Command): number => ("job" in command ? command.job.seq : command.seq)

export const make = Effect.fnUntraced(function* (options: TurnOptions) {
  const store = yield* Store
  const clock = yield* Clock.Clock
  const { epoch, host } = options.host
  const { meters } = options
  const names = [...options.workflows.keys()]
  const state: HostState = {
    owned: new Map(),
    turn: options.host.turn,
    refills: true,
    control: Intent.uncontrolled,
    cancels: new Map(),
    restless: false,
    spread: null,
    hung: 0,
    scarce: null,
    mayHaveReady: true,
    nextDue: null,
    breakers: new Map()
  }
  const peek = Peek.make(store, names)
  const throughput = new Throughput(monotonic(clock))
  const pace = new CommitPace()
  /** A commit of which nobody knows whether it happened: asked before anything else is decided. */
  let uncertain: {
    readonly draft: Draft.Draft
    readonly burial: Burial | null
    readonly asked: Uncertain.Asked
  } | null = null

  /** The slots that it has now. */
  const slots = (): number => state.control.slots ?? options.slots

  /** Slots that may be filled now; `nextAt`: when one may be that only waits for its turn after a pause, null for none. */
  const vacancy = (owned: HostState["owned"], now: number): { free: number; nextAt: number | null } => {
    const takes =
      state.refills && state.scarce === null && state.hung < slots() && Intent.mayClaim(state.control)
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

  /** Fills the free slots with due jobs: peeked and decided in this very turn (R9), as many as the commit still takes (R15). */
  const fill = Effect.fnUntraced(function* (draft: Draft.Draft, env: Env, inserts: number) {
    const due =
      state.mayHaveReady || draft.tripped.size > 0 || (state.nextDue !== null && state.nextDue <= env.now)
    const room = pace.most - inserts - draft.changes.size
    const free = due ? Math.min(room, vacancy(draft.owned, env.now).free) : 0
    if (free <= 0) return
    const { mayHaveReady, nextDue } = yield* peek(draft, env, free, slots())
    state.mayHaveReady = mayHaveReady
    state.nextDue = nextDue
  })

  /** Takes the committed draft as the state, without the jobs that another host won. */
  const accept = (draft: Draft.Draft, burial: Burial | null, committed: Committed): TurnDone => {
    if (burial !== null) {
      options.burials.written(burial, monotonic(clock))
      meters.buried(burial.count)
    }
    for (const seq of committed.lost) {
      draft.owned.delete(seq)
      draft.changes.delete(seq)
    }
    state.owned = draft.owned
    state.breakers = Breakers.withoutProbes(draft.breakers, committed.lost)
    state.turn++
    const written: Array<Job> = []
    const now = monotonic(clock)
    for (const change of draft.changes.values()) {
      const { events, job } = change
      written.push(job)
      throughput.take(events, now)
      meters.changed(change)
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
    return { committed, written, settled, tripped: Breakers.rowsOf(draft), commands }
  }

  /** Whether the last commit happened, if nobody knows: then what it has brought about; null: there is nothing that has happened. */
  const recover = Effect.gen(function* () {
    if (uncertain === null) return null
    const row = yield* store.renew({ host, epoch, at: instant(clock) })
    const { asked, burial, draft } = uncertain
    const committed = row.turn === state.turn + 1 ? yield* Uncertain.readBack(store, asked) : null
    uncertain = null
    return committed === null ? null : accept(draft, burial, committed)
  })

  /**
   * Null when there was nothing to write. `bank`: the snapshot to store along, or null. `refills`: whether free slots are filled in this
   * turn. After an uncertain commit it must be given the same batch again: it answers for that commit if it has happened.
   */
  const turn = Effect.fnUntraced(function* (batch: Batch, bank: string | null, refills = true) {
    const recovered = yield* recover
    if (recovered !== null) return recovered
    const now = instant(clock)
    const env: Env = {
      now,
      seed: options.seed,
      owner: { host, epoch },
      actor: `host:${host}`,
      catalogue: options.catalogue,
      workflows: options.workflows,
      cancels: state.cancels
    }
    const draft = Draft.begin(state.owned, state.breakers)
    // What is done is not handed back, and what is handed back takes the room that is left.
    let stop: Signal | null = null
    for (const signal of batch.signals) {
      if (signal._tag === "Stopping") stop = signal
      else decide(draft, signal, env)
    }
    if (stop !== null) decide(draft, stop, env)
    settleProbes(draft, env)
    if (refills) yield* fill(draft, env, batch.submissions.length)
    const burial = refills ? options.burials.take(monotonic(clock)) : null
    if (Draft.isEmpty(draft) && batch.submissions.length === 0 && bank === null && burial === null) {
      // What was heard of breakers while looking for work is true all the same: forgotten, it would be asked for again at once, for ever.
      state.breakers = draft.breakers
      return null
    }
    const inserts = batch.submissions.map(({ job }) => job)
    const asked = clock.monotonicTimeNanosUnsafe()
    const committed = yield* store
      .commit({
        fence: { host, epoch, turn: state.turn + 1 },
        at: now,
        inserts,
        changes: draft.changes.values(),
        notes: draft.notes,
        settled: draft.settled,
        bank,
        breakers: Breakers.rowsOf(draft),
        undelivered: burial
      })
      .pipe(
        Effect.tapError((error) =>
          Effect.sync(() => {
            // A refusal is an answer; a medium that broke may have broken after it took the commit.
            if (error._tag === "ORCH_STORE_BROKEN" && error.refused !== true)
              uncertain = { draft, burial, asked: { at: now, inserts, changes: [...draft.changes.values()] } }
          })
        )
      )
    const took = clock.monotonicTimeNanosUnsafe() - asked
    meters.committed(took)
    pace.took(inserts.length + draft.changes.size, took)
    return accept(draft, burial, committed)
  })

  /** The host's last word, when its loop has ended: the messages that nobody will read. */
  const last = Effect.suspend(() => {
    const undelivered = options.burials.rest()
    if (undelivered === null) return Effect.void
    const fence = { host, epoch, turn: state.turn + 1 }
    return Effect.asVoid(patiently(store.commit({ fence, at: instant(clock), undelivered })))
  }).pipe(Effect.catch((error) => Effect.logWarning("the unread messages could not be written down", error)))

  return {
    state,
    names,
    slots,
    vacancy,
    pace,
    turn,
    last,
    throughput: () => throughput.read(monotonic(clock))
  }
})

export type Turn = Effect.Success<ReturnType<typeof make>>
