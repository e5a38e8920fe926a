/**
 * The hosts of the store at hand that answer on their sockets. What it takes to ask them is loaded only where there is a socket: elsewhere it
 * costs one look at a folder.
 */
import { defaults, Store } from "@muster/core"
import { ControlSockets } from "@muster/fleet"
import type { ControlClient } from "@muster/fleet/control"
import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"

/** Who has answered: a host, or the store because none did. */
export type Source = "host" | "store"

/** In the order of their numbers; asked anew each time, for as long as the scope is open. */
export const liveHosts = Effect.gen(function* () {
  const store = yield* Store
  const sockets = yield* Effect.sync(() => ControlSockets.sockets(store.name).filter(ControlSockets.isOwn))
  if (sockets.length === 0) return []
  const control = yield* Effect.promise(() => import("@muster/fleet/control"))
  // One that works on a store which was there before under this name is none of this store's.
  const hosts = (yield* control.ControlClient.hostsOf(store.name)).filter(
    (host) => host.store.id === store.id
  )
  yield* Effect.logDebug(`hosts that answer: ${hosts.map(({ host }) => host).join(", ") || "none"}`)
  return hosts
})

/** The host that is asked: the one that is addressed, else any; null: none answers. */
export const anyHost = Effect.fnUntraced(function* (address: number | null) {
  const hosts: ReadonlyArray<ControlClient.LiveHost> = yield* liveHosts
  return hosts.find(({ host }) => host === address) ?? hosts[0] ?? null
})

export interface Answered<A> {
  readonly answer: A
  readonly source: Source
}

/** The host has stopped in order, and ended what it was asked. */
class HostStopped extends Data.TaggedError("HostStopped") {}

/** What says that the host is gone, or as good as gone: the connection has broken off, it has stopped, or it takes too long. */
type Gone = { readonly _tag: "RpcClientError" | "TimeoutError" | "HostStopped" }

/** A host that stops interrupts what it was asked: that is none of our own interruptions, which nothing can catch. */
export const orStopped = <A, E, R>(question: Effect.Effect<A, E, R>): Effect.Effect<A, E | HostStopped, R> =>
  Effect.catchCauseIf(question, Cause.hasInterruptsOnly, () => Effect.fail(new HostStopped()))

export const isGone = (error: unknown): error is Gone =>
  typeof error === "object" &&
  error !== null &&
  "_tag" in error &&
  (error._tag === "RpcClientError" || error._tag === "TimeoutError" || error._tag === "HostStopped")

/**
 * What the host answers; the store's own way where there is none, or where it is gone before it has answered. Whoever asks so makes sure that a
 * wish which has reached both counts once.
 *
 * @param patienceMillis how long the host may take: one whose own store doesn't answer takes for ever
 */
export const orStore = <A, E, R, E2, R2>(
  host: ControlClient.LiveHost | null,
  question: (client: ControlClient.ControlClient) => Effect.Effect<A, E, R>,
  store: Effect.Effect<A, E2, R2>,
  patienceMillis: number = defaults.busy.commandMillis
): Effect.Effect<Answered<A>, Exclude<E, Gone> | E2, R | R2> => {
  const byStore = Effect.map(store, (answer): Answered<A> => ({ answer, source: "store" }))
  if (host === null) return byStore
  return Effect.timeout(orStopped(question(host.client)), patienceMillis).pipe(
    Effect.map((answer): Answered<A> => ({ answer, source: "host" })),
    Effect.catchIf(isGone, () => byStore),
    // Only what isGone admits is taken out.
    Effect.mapError((error) => error as Exclude<E, Gone> | E2)
  )
}
