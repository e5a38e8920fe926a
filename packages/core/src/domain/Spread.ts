/**
 * Starts after a pause, spread over a window: what has become due in the meantime must not start in one instant (R22). One after
 * the other in even steps, each slot once; after the window it is over.
 */

export interface Spread {
  /** Epoch ms: when the host resumed. */
  readonly from: number
  /** Starts since then. */
  readonly started: number
}

export interface SpreadPolicy {
  /** Slots that fill up within the window. */
  readonly slots: number
  readonly windowMillis: number
}

/** Starts that may happen now, and when the next one may if none may now; null: the spread is over, or the clock was set back before it. */
export const allowance = (
  { from, started }: Spread,
  now: number,
  { slots, windowMillis }: SpreadPolicy
): { readonly starts: number; readonly nextAt: number } | null => {
  const elapsed = now - from
  if (elapsed < 0 || elapsed >= windowMillis || started >= slots) return null
  return {
    starts: Math.max(0, Math.floor((elapsed * slots) / windowMillis) + 1 - started),
    nextAt: from + Math.ceil((started * windowMillis) / slots)
  }
}
