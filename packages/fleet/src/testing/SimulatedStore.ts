/**
 * The store as a process of the simulation reaches it: calls and answers take time, some calls are answered busy, some answers are lost, and
 * what a dead process has asked for may still happen. The call itself is whole: the world stands still meanwhile.
 */
import { type CommitRows, StoreBroken, StoreBusy, type StoreDriver, type StoreFailure } from "@muster/core"
import { Effect, Exit, type Scope } from "effect"
import type { Chance } from "./Chance.ts"
import type { Ledger } from "./Ledger.ts"
import type { StoreTrouble } from "./Plan.ts"
import type { Trace } from "./Trace.ts"
import type { VirtualProcess, VirtualTime } from "./VirtualTime.ts"

type Operation = keyof StoreDriver

const detail = "as the plan says"

const nothing = (): void => {}

/** The calls that have reached the store and wait for their turn there. */
export type Calls = Array<Effect.Effect<void, never, Scope.Scope>>

export interface StoreWorld {
  readonly time: VirtualTime
  readonly calls: Calls
  readonly ledger: Ledger
  readonly trace: Trace
  /** Whether single calls go wrong: no longer in the calm at the end. */
  readonly troubled: () => boolean
  /** Whether somebody holds the store. */
  readonly locked: () => boolean
  /** Whether its medium takes nothing more. */
  readonly full: () => boolean
}

export interface Connection {
  readonly driver: StoreDriver
  /** Calls that are under way. */
  readonly pending: () => number
  /** Milliseconds after the beginning at which something last went wrong with it. */
  readonly troubledAt: () => number
  /** The epoch and the number under which it has enlisted; 0 before. */
  readonly epoch: () => number
  readonly host: () => number
}

/** What a commit says, in a line. */
const summary = ({ bank, changes, fence, inserts, intents, notes, settled }: CommitRows): string =>
  [
    fence === null ? "commit" : `turn ${fence.turn}`,
    ...inserts.map(({ origin }) => `+${origin.workflow_type}/${origin.idempotency_key.slice(0, 12)}`),
    ...changes.map(({ events, seq, state }) => {
      const moves = events.map(
        ({ event, subject_kind, transition_reason }) =>
          `${subject_kind === "agent" ? "a." : ""}${event}(${transition_reason})`
      )
      const at = [state.state, state.standing ?? state.agent_state, state.phase].filter(
        (part) => part !== null
      )
      return `#${seq}[${moves.join(" ")}]=>${at.join("/")}`
    }),
    ...notes.map(
      ({ event, incarnation, job, transition_reason }) =>
        `note #${job}.${incarnation} ${event}(${transition_reason})`
    ),
    ...intents.map(({ host, job, kind, value }) =>
      `wish ${kind} ${job ?? host ?? "all"} ${value ?? ""}`.trim()
    ),
    ...settled.map(({ intent, outcome }) => `settled ${intent}: ${outcome}`),
    ...(bank === null ? [] : ["bank"])
  ].join(" ")

export const connect = (
  world: StoreWorld,
  process: VirtualProcess,
  inner: () => StoreDriver,
  trouble: StoreTrouble,
  chance: Chance
): Connection => {
  const { calls, ledger, time, trace } = world
  let pending = 0
  let troubledAt = 0
  let epoch = 0
  let host = 0

  const wait = (): number =>
    world.troubled() && trouble.latencyMillis > 0 ? chance.int(0, trouble.latencyMillis) : 0
  const soon = (millis: number, act: () => void): void => {
    if (millis === 0) act()
    else time.after(millis, act)
  }

  const go = <A, E>(operation: Operation, call: Effect.Effect<A, E>, take: (answer: A) => void) =>
    Effect.callback<A, E | StoreFailure>((resume) => {
      pending++
      const answer = (exit: Exit.Exit<A, E | StoreFailure>): void =>
        soon(wait(), () => {
          pending--
          process.schedule(() => resume(exit))
        })
      const fail = (error: StoreFailure): void => {
        troubledAt = time.now
        trace.tell(process.name, () => `${operation}: ${error._tag}`)
        answer(Exit.fail(error))
      }
      soon(wait(), () => {
        // What a process has sent before it died may arrive, or may not.
        if (process.state === "dead" && chance.is(0.5)) return
        if (operation === "open") {
          calls.push(Effect.map(Effect.exit(call), answer))
          return
        }
        if (world.locked() || (world.troubled() && chance.is(trouble.busy))) {
          fail(new StoreBusy({ operation, detail }))
          return
        }
        const isCommit = world.troubled() && operation === "commit"
        const isFull = world.full() && (operation === "commit" || operation === "renew")
        if (isFull || (isCommit && chance.is(trouble.brokenBefore))) {
          fail(new StoreBroken({ operation, detail }))
          return
        }
        const loses = isCommit && chance.is(trouble.brokenAfter)
        calls.push(
          Effect.map(Effect.exit(call), (exit) => {
            if (Exit.isSuccess(exit)) take(exit.value)
            if (loses && Exit.isSuccess(exit))
              fail(new StoreBroken({ operation, detail: `${detail}, after it has happened` }))
            else answer(exit)
          })
        )
      })
    })

  const driver: StoreDriver = {
    open: go(
      "open",
      Effect.suspend(() => inner().open),
      nothing
    ),
    enlist: (request) =>
      go(
        "enlist",
        Effect.suspend(() => inner().enlist(request)),
        (row) => {
          epoch = row.epoch
          host = row.host
          ledger.enlist(epoch)
        }
      ),
    renew: (request) =>
      go(
        "renew",
        Effect.suspend(() => inner().renew(request)),
        nothing
      ),
    fence: (request) =>
      go(
        "fence",
        Effect.suspend(() => inner().fence(request)),
        (won) => {
          trace.tell(
            process.name,
            () => `takes host ${request.host} for ${request.as}: ${won ? "won" : "refused"}`
          )
          if (won) ledger.fence(request.epoch)
        }
      ),
    commit: (unit) =>
      go(
        "commit",
        Effect.tapError(
          Effect.suspend(() => inner().commit(unit)),
          ({ _tag }) => Effect.sync(() => trace.tell(process.name, () => `${summary(unit)} -> ${_tag}`))
        ),
        (answer) => {
          trace.tell(process.name, () => {
            const lost = answer.lost.length === 0 ? "" : ` lost ${answer.lost.join(",")}`
            return `${summary(unit)}${lost}`
          })
          ledger.commit(unit, answer)
        }
      ),
    jobs: (query) =>
      go(
        "jobs",
        Effect.suspend(() => inner().jobs(query)),
        nothing
      ),
    agents: (query) =>
      go(
        "agents",
        Effect.suspend(() => inner().agents(query)),
        nothing
      ),
    events: (query) =>
      go(
        "events",
        Effect.suspend(() => inner().events(query)),
        nothing
      ),
    records: (query) =>
      go(
        "records",
        Effect.suspend(() => inner().records(query)),
        nothing
      ),
    tally: (request) =>
      go(
        "tally",
        Effect.suspend(() => inner().tally(request)),
        nothing
      ),
    changed: go(
      "changed",
      Effect.suspend(() => inner().changed),
      nothing
    ),
    prune: (request) =>
      go(
        "prune",
        Effect.suspend(() => inner().prune(request)),
        nothing
      )
  }
  return {
    driver,
    pending: () => pending,
    troubledAt: () => troubledAt,
    epoch: () => epoch,
    host: () => host
  }
}
