/**
 * What operators want, read from the store and handed to the loop: level, not edge, so that nothing depends on the order in which
 * hints arrive (R11). Which host carries an intent out follows from who owns the job, or from whom it addresses.
 */
import {
  type CancelWish,
  defaults,
  type HostRow,
  Intent,
  type IntentRow,
  isOver,
  readAskedOf,
  readSettlement,
  type Signal,
  Store
} from "@muster/core"
import { Clock, Effect, Semaphore } from "effect"
import { instant, monotonic } from "../Instant.ts"
import { liveHosts, openIntents, saidReason } from "../jobs/Operations.ts"
import { soundJobs } from "../jobs/SoundJobs.ts"
import type { HostState } from "./Turn.ts"

export interface LookOptions {
  readonly self: HostRow
  readonly state: HostState
  readonly post: (signal: Signal) => void
}

/** Two looks of every host lie within this: by then it obeys a drain, or is seen to be busy. */
const surelySeenMillis = 3 * defaults.changedMillis

const wishOf = (row: IntentRow) => ({
  reason: row.actor.startsWith("caller:") ? ("caller" as const) : ("operator" as const),
  actor: row.actor,
  intent: row.intent,
  text: saidReason(row)
})

/** One look at the intents that nobody has settled. */
export const makeLook = Effect.fnUntraced(function* ({ post, self, state }: LookOptions) {
  const store = yield* Store
  const clock = yield* Clock.Clock
  const oneByOne = yield* Semaphore.make(1)
  /** Since when a drain has seen another host idle, by `drain host`. */
  const idleSince = new Map<string, number>()
  let first = true

  /** What is wanted of single jobs: cancels, and what became of steps whose outcome nobody knew. */
  const postAboutJobs = Effect.fnUntraced(function* (open: ReadonlyArray<IntentRow>) {
    const wanted = open.flatMap((row) =>
      (row.kind === "cancel" || row.kind === "settle") && row.job !== null ? [{ ...row, job: row.job }] : []
    )
    if (wanted.length === 0) return
    const found = yield* soundJobs(
      store,
      wanted.map(({ job }) => job)
    )
    const rows = new Map(found.map(({ job }) => [job.seq, job]))
    for (const row of wanted) {
      const { actor, intent } = row
      const job = rows.get(row.job)
      if (job === undefined) continue
      const owner = job.agent?.owner ?? null
      // Another host's job is that host's to cancel, or to settle; a lost host's comes to us by adoption.
      if (owner !== null && (owner.host !== self.host || owner.epoch !== self.epoch)) continue
      if (row.kind === "settle") {
        const settlement = readSettlement(row.value)
        if (settlement !== null)
          post({
            _tag: "SettleWanted",
            job,
            settlement,
            askedOf: readAskedOf(row.value),
            actor,
            text: saidReason(row),
            intent
          })
        continue
      }
      // While it lands there is nothing to decide: the landing's end is (R26).
      if (isOver(job.state) || job.agent?.phase !== "land")
        post({ _tag: "CancelWanted", job, ...wishOf(row) })
    }
  })

  /** What the open intents make of this host, from now on. */
  const obey = (control: Intent.Control): void => {
    const former = state.control
    state.control = control
    if (Intent.mayClaim(control) && !Intent.mayClaim(former)) state.mayHaveReady = true
    // A host that has just started knows of no pause that it would come back from.
    if (former.paused && !control.paused && !first) state.spread = { from: instant(clock), started: 0 }
    first = false
  }

  /**
   * Another host counts as busy until it has been idle for as long as it takes to see the drain: one that has just claimed a job, not
   * knowing of it, shows it within that time.
   */
  const isBusy = Effect.fnUntraced(function* (drains: ReadonlyArray<IntentRow>, other: HostRow) {
    const owned = yield* store.agents({ by: "owner", host: other.host, epoch: other.epoch })
    const now = monotonic(clock)
    let busy = owned.length > 0
    for (const { intent } of drains) {
      const key = `${intent} ${other.host}`
      const since = owned.length > 0 ? now : (idleSince.get(key) ?? now)
      idleSince.set(key, since)
      busy ||= now - since < surelySeenMillis
    }
    return busy
  })

  /** The hosts as far as the open intents depend on them: of most of them nothing does. */
  const lookAtHosts = Effect.fnUntraced(function* (open: ReadonlyArray<IntentRow>) {
    const drains = Intent.drainsOf(open)
    if (drains.length === 0) idleSince.clear()
    const others = open.some(
      ({ host, kind }) => kind === "drain" || (kind === "scale" && host !== null && host !== self.host)
    )
    const live = others ? yield* liveHosts(store) : [self]
    const busy = new Set<number>()
    if (state.owned.size > 0) busy.add(self.host)
    if (drains.length > 0)
      for (const other of live)
        if (other.host !== self.host && (yield* isBusy(drains, other))) busy.add(other.host)
    return { live: new Set(live.map(({ host }) => host)), busy }
  })

  const look = Effect.gen(function* () {
    const open = yield* openIntents(store)
    obey(Intent.controlOf(open, self.host))
    const cancels = new Map<number, CancelWish>()
    // Of several the first one's words count, as they would if the job were waiting.
    for (const row of open.toReversed())
      if (row.kind === "cancel" && row.job !== null) cancels.set(row.job, wishOf(row))
    state.cancels = cancels
    const due = Intent.settlements(open, yield* lookAtHosts(open))
    if (due.length > 0) {
      // A turn may be under way that claims a job: what depends on this host being idle is decided at the turn.
      const mine = new Set(
        Intent.drainsOf(open)
          .filter(({ host }) => host === null || host === self.host)
          .map(({ intent }) => intent)
      )
      const settled = due.filter(({ intent }) => !mine.has(intent))
      const whenIdle = due.filter(({ intent }) => mine.has(intent))
      post({ _tag: "IntentsEnded", settled, whenIdle })
    }
    yield* postAboutJobs(open)
    // Whether nothing runs any more, or a landing has ended, doesn't show in what others write.
    state.restless = Intent.drainsOf(open).length > 0 || cancels.size > 0
  })
  return { look: oneByOne.withPermit(look) }
})
