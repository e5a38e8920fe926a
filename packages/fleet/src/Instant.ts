/**
 * The time as the store keeps it: whole milliseconds. Clocks may tell fractions, as a test's clock does after a sleep with jitter.
 */
import type { Clock } from "effect"

export const instant = (clock: Clock.Clock): number => Math.floor(clock.currentTimeMillisUnsafe())

/** Milliseconds that are only good for differences within this process: the wall clock may be set, and nobody is silent because of that. */
export const monotonic = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)
