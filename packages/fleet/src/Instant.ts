/**
 * The time as the store keeps it: whole milliseconds. Clocks may tell fractions, as a test's clock does after a sleep with jitter.
 */
import type { Clock } from "effect"

export const instant = (clock: Clock.Clock): number => Math.floor(clock.currentTimeMillisUnsafe())
