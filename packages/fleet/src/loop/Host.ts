/**
 * This process as a host of the store: its number, epoch and lease, and the watch over the other hosts, whose work it adopts when they are
 * lost (R19, R20).
 */
import {
  type HostFenced,
  type HostRow,
  type Signal,
  Store,
  type StoreBroken,
  type StoreService,
  type StoreBusy
} from "@muster/core"
import { Clock, Effect, Schedule } from "effect"
import { fromText, HostProbe, toText } from "../adapters/process/HostProbe.ts"
import { ProcessReaper } from "../adapters/process/ProcessReaper.ts"
import { instant, monotonic } from "../Instant.ts"
import type { Trouble } from "./Trouble.ts"

/** `<store id>:<host>:<epoch>`: what processes of a host carry in their environment. */
export const hostToken = (
  storeId: string,
  { epoch, host }: { readonly host: number; readonly epoch: number }
): string => `${storeId}:${host}:${epoch}`

/** While another holds the store: asked again soon, with jitter, for as long as it takes (R15). */
const untilFree = Schedule.min([
  Schedule.exponential("2 millis").pipe(Schedule.jittered),
  Schedule.spaced("50 millis")
])

/** Asks again for as long as the store is busy. */
export const patiently = <A, E extends { readonly _tag: string }, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, Exclude<E, StoreBusy>, R> =>
  Effect.retry(effect, {
    while: (error) => error._tag === "ORCH_STORE_BUSY",
    schedule: untilFree
    // The schedule has no end, so a busy store is never what comes out.
  }) as Effect.Effect<A, Exclude<E, StoreBusy>, R>

/** Joins the fleet: a restart is a new host with a fresh epoch. */
export const enlist = Effect.gen(function* () {
  const store = yield* Store
  const probe = yield* HostProbe
  const identity = toText(yield* probe.self)
  const at = instant(yield* Clock.Clock)
  return yield* patiently(store.enlist(identity, at))
})

const pageSize = 500

/** What is kept of hosts after a cursor, in the order in which they came. */
const hostsAfter = Effect.fnUntraced(function* (store: StoreService, passed: number) {
  const hosts: Array<{ readonly cursor: number; readonly row: HostRow }> = []
  for (let after = passed; ;) {
    const page = yield* patiently(store.records({ kind: "hosts", job: null, after, limit: pageSize }))
    hosts.push(...page)
    const last = page.at(-1)
    if (last === undefined || page.length < pageSize) return hosts
    after = last.cursor
  }
})

/** Everything that is kept of hosts. */
export const allHosts = (store: StoreService) =>
  Effect.map(hostsAfter(store, 0), (hosts) => hosts.map(({ row }) => row))

export interface KeepLeaseOptions {
  /** The host has come to its end by itself: its work is others' to adopt. */
  readonly isOver: () => boolean
  /** Once. */
  readonly renew: Effect.Effect<HostRow, HostFenced | StoreBroken>
  readonly trouble: Trouble
  /** One look at the other hosts. */
  readonly watch: Effect.Effect<void, StoreBroken>
}

/** What this host has seen of another one's beat, on its own monotonic clock. */
interface Sighting {
  readonly beat: number
  readonly since: number
}

/** One look at the other hosts: fences the lost ones and gives their work to the loop. */
export const makeWatch = Effect.fnUntraced(function* (
  self: HostRow,
  leaseMillis: number,
  post: (signal: Signal) => void
) {
  const store = yield* Store
  const probe = yield* HostProbe
  const reaper = yield* ProcessReaper
  const clock = yield* Clock.Clock
  const sightings = new Map<number, Sighting>()
  const reaped = new Set<string>()
  const noted = new Set<string>()
  /** All hosts up to this cursor are over, and nothing of them is left on this machine: they are not asked for again. */
  let passed = 0

  /** Whether the host is proven gone, or its beat stood still for a lease. */
  const isLost = Effect.fnUntraced(function* (other: HostRow) {
    const at = monotonic(clock)
    const seen = sightings.get(other.host)
    if (seen === undefined || seen.beat !== other.beat)
      sightings.set(other.host, { beat: other.beat, since: at })
    else if (at - seen.since >= leaseMillis) return true
    const identity = fromText(other.identity)
    return identity !== null && (yield* probe.probe(identity)) === "gone"
  })

  /**
   * Kills what hosts that are over have left behind on this machine, before any of their work starts anew. False: something is still
   * there, and nothing may take its place yet (R20).
   */
  const reap = Effect.fnUntraced(function* (over: ReadonlyArray<HostRow>) {
    const tokens = over.map((host) => hostToken(store.id, host)).filter((token) => !reaped.has(token))
    if (tokens.length === 0) return true
    const { left } = yield* reaper.reap(tokens)
    for (const token of tokens) if (!left.some((process) => process.token === token)) reaped.add(token)
    if (left.length > 0) yield* Effect.logWarning("processes of a lost host don't end; its work waits", left)
    return left.length === 0
  })

  const adopt = Effect.fnUntraced(function* () {
    for (let after: number | null = 0; after !== null;) {
      const page: Effect.Success<ReturnType<StoreService["orphans"]>> = yield* patiently(
        store.orphans(after, pageSize)
      )
      for (const job of page.jobs) post({ _tag: "Orphaned", job })
      for (const damaged of page.damaged) {
        // One that no table lets move is noted once, not at every look.
        const row = `${damaged.seq} ${damaged.raw}`
        if (!noted.has(row)) post({ _tag: "Damaged", damaged })
        noted.add(row)
      }
      after = page.next
    }
  })

  /** One look around. */
  const look = Effect.gen(function* () {
    const hosts = yield* hostsAfter(store, passed)
    const others = hosts.map(({ row }) => row).filter(({ host }) => host !== self.host)
    const over = others.filter(({ state }) => state !== "live")
    for (const other of others) {
      if (other.state !== "live" || !(yield* isLost(other))) continue
      const at = instant(yield* Clock.Clock)
      const { beat, epoch, host } = other
      const won = yield* patiently(store.fence({ host, epoch, beat, as: "fenced", at }))
      if (won) over.push(other)
    }
    if (!(yield* reap(over))) return
    for (const { cursor, row } of hosts) {
      if (row.state === "live") break
      passed = cursor
    }
    yield* adopt()
  })
  return { look }
})

/**
 * Renews the lease as long as the host lives, and looks at the others each time; ends with `ORCH_HOST_FENCED` when another host has taken over. A store that
 * doesn't answer takes nobody's lease away: nobody else can write either (R21).
 */
export const keepLease = Effect.fnUntraced(function* (
  renewalMillis: number,
  { isOver, renew, trouble, watch }: KeepLeaseOptions
): Effect.fn.Return<void, HostFenced> {
  for (;;) {
    yield* Effect.sleep(renewalMillis)
    if (isOver()) return
    const renewed = yield* renew.pipe(
      Effect.as(true),
      Effect.catchTag("ORCH_STORE_BROKEN", (error) => Effect.as(trouble.met("lease", error), false))
    )
    if (!renewed) continue
    yield* trouble.over("lease")
    yield* watch.pipe(
      Effect.catch((error) => Effect.logError("the other hosts could not be looked at", error))
    )
  }
})
