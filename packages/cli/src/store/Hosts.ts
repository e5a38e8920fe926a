/**
 * The hosts whose epoch is not over, and which of them give a sign of life.
 */
import { defaults, type HostRow, Store } from "@muster/core"
import { Operations } from "@muster/fleet"
import * as Effect from "effect/Effect"

/** Hosts that are neither stopped nor fenced. One that was killed is among them until another host fences it. */
export const openHosts = Effect.flatMap(Store, Operations.liveHosts)

/** Whether the host's last beat is younger than a lease, by this machine's clock. */
export const isBeating = (host: HostRow, now: number): boolean => now - host.beat_at < defaults.leaseMillis
