/**
 * The hosts whose epoch is not over, and which of them give a sign of life.
 */
import { defaults, type HostRow, Store } from "@muster/core"
import * as Effect from "effect/Effect"
import { allRows } from "./Pages.ts"

/** Hosts that are neither stopped nor fenced. One that was killed is among them until another host fences it. */
export const openHosts = Effect.gen(function* () {
  const store = yield* Store
  const hosts = yield* allRows(
    (after, limit) => store.records({ kind: "hosts", job: null, after, limit }),
    ({ cursor }) => cursor
  )
  return hosts.map(({ row }) => row).filter(({ state }) => state === "live")
})

/** Whether the host's last beat is younger than a lease, by this machine's clock. */
export const isBeating = (host: HostRow, now: number): boolean => now - host.beat_at < defaults.leaseMillis
