/**
 * Due jobs for the free slots: one query, and one more for each workflow whose breaker lets only some of its jobs start: none while it is
 * open, one as a probe, one after the other once it has closed.
 */
import {
  Breaker,
  bury,
  defaults,
  type Draft,
  type Env,
  type Job,
  probeBreaker,
  refill,
  Spread,
  type StoredJob,
  type StoreService
} from "@muster/core"
import { Effect } from "effect"
import * as Breakers from "./Breakers.ts"

/** A workflow of which not everything may start. */
interface Lane {
  readonly name: string
  /** Jobs that may start now. */
  readonly starts: number
  /** The one that may start is a probe. */
  readonly probe: boolean
  /** When more may start, epoch ms; null: when something has happened. */
  readonly nextAt: number | null
}

/** What a peek leaves behind. */
interface Peeked {
  /** Another peek may find more. */
  readonly mayHaveReady: boolean
  /** When the next one pays off, epoch ms; null: nothing waits. */
  readonly nextDue: number | null
}

const earlier = (one: number | null, other: number | null): number | null =>
  one === null ? other : other === null ? one : Math.min(one, other)

/** Two leases: by then a host that is gone has been taken for lost. */
const patienceMillis = 2 * defaults.leaseMillis

/** Null: all jobs of the workflow may start. */
const laneOf = (name: string, draft: Draft.Draft, env: Env, slots: number): Lane | null => {
  const breaker = draft.breakers.get(name)
  if (breaker === undefined || (breaker.state === "closed" && breaker.at === 0)) return null
  const policy = env.workflows.get(name)?.breaker ?? defaults.breaker
  const allowed = Breaker.allow(breaker, env.now, policy, patienceMillis)
  if (allowed._tag === "Probe") return { name, starts: 1, probe: true, nextAt: null }
  if (allowed._tag === "Wait") return { name, starts: 0, probe: false, nextAt: allowed.until }
  const spread = { slots, windowMillis: defaults.resumeSpreadMillis }
  const { at: from, started } = breaker
  const now = Spread.allowance({ from, started }, env.now, spread)
  if (now === null) return null
  const after = Spread.allowance({ from, started: started + now.starts }, env.now, spread)
  // When the last of the spread starts have been made, the others may follow at once.
  return { name, starts: now.starts, probe: false, nextAt: after?.nextAt ?? env.now }
}

/** The order of the peek (R7), over several. */
const byTurn = ({ job: a }: StoredJob, { job: b }: StoredJob): number =>
  b.priority - a.priority || a.runAt - b.runAt || a.seq - b.seq

/** Fills `free` slots of `slots` in this draft. */
export const make = (store: StoreService, names: ReadonlyArray<string>) =>
  Effect.fnUntraced(function* (draft: Draft.Draft, env: Env, free: number, slots: number) {
    const lanes = new Map<string, Lane>()
    let full = false
    if (draft.breakers.size > 0)
      for (const name of names) {
        const lane = laneOf(name, draft, env, slots)
        if (lane === null) continue
        // What this turn has made of a breaker is not in the store yet: its probe waits for the next turn.
        const early = lane.probe && draft.tripped.has(name)
        lanes.set(name, early ? { ...lane, starts: 0, probe: false } : lane)
        if (early) full = true
      }
    const open = lanes.size === 0 ? names : names.filter((name) => !lanes.has(name))
    const found: Array<StoredJob> = []
    let nextDue: number | null = null

    const look = Effect.fnUntraced(function* (workflows: ReadonlyArray<string>, limit: number) {
      const peek = yield* store.ready(workflows, env.now, limit)
      for (const damaged of peek.damaged) if (!draft.changes.has(damaged.seq)) bury(draft, env, damaged)
      found.push(...peek.jobs)
      return { count: peek.jobs.length + peek.damaged.length, nextDue: peek.nextDue }
    })

    if (open.length > 0) {
      const { count, nextDue: due } = yield* look(open, free)
      nextDue = due
      if (count >= free) full = true
    }
    for (const { name, nextAt, starts } of lanes.values()) {
      const limit = Math.min(starts, free)
      const peek = limit === 0 ? null : yield* look([name], limit)
      if (peek !== null && peek.count >= free) full = true
      nextDue = earlier(nextDue, peek === null || peek.count >= limit ? nextAt : peek.nextDue)
    }
    // Another host may have sent a probe since this one last looked: asked after the peek, so that the job it took is no longer found here.
    if (found.some(({ job }) => lanes.get(job.workflowType)?.probe === true)) {
      // What this very turn has decided is newer than what the store can say.
      for (const [name, heard] of yield* Breakers.hear(store, draft.breakers))
        if (!draft.tripped.has(name)) draft.breakers.set(name, heard)
      for (const [name, lane] of lanes)
        if (lane.probe && laneOf(name, draft, env, slots)?.probe !== true)
          lanes.set(name, { ...lane, starts: 0 })
    }
    if (lanes.size > 0) found.sort(byTurn)
    let taken = 0
    for (const { job, payload } of found) {
      const lane = lanes.get(job.workflowType)
      if (taken >= free || lane?.starts === 0) {
        full = true
        continue
      }
      refill(draft, env, job, payload ?? "null")
      taken++
      if (lane === undefined) continue
      start(draft, env, lane, job)
      // A probe that is refused at its payload shows nothing: the next one is due at once.
      if (lane.probe && !draft.owned.has(job.seq)) full = true
    }
    const peeked: Peeked = { mayHaveReady: full, nextDue }
    return peeked
  })

/** Counts a start that a breaker has let through; a job that is refused at its payload starts nothing. */
const start = (draft: Draft.Draft, env: Env, lane: Lane, job: Job): void => {
  const breaker = draft.breakers.get(lane.name)
  if (breaker === undefined || !draft.owned.has(job.seq)) return
  if (lane.probe) probeBreaker(draft, env, job)
  else draft.breakers.set(lane.name, { ...breaker, started: breaker.started + 1 })
}
