/**
 * How often an agent may recover without burning an attempt: a count in a sliding window, as in OTP's supervisors (R2).
 * The window is kept in the agent's row, so that a restart of the host doesn't forget it.
 */

export interface RestartPolicy {
  /** Recoveries that are allowed within the window. */
  readonly restarts: number
  readonly windowMillis: number
}

/**
 * Records a recovery at `now`.
 *
 * @param window instants of earlier recoveries, in epoch ms; those that have left the window are dropped
 * @returns the new window, ascending, never longer than `restarts` + 1, and whether the budget is spent
 */
export const record = (
  window: ReadonlyArray<number>,
  now: number,
  policy: RestartPolicy
): { readonly window: ReadonlyArray<number>; readonly exhausted: boolean } => {
  // an instant of the future stays: a clock that was set back must not forgive
  const recent = [...window.filter((at) => at > now - policy.windowMillis), now].toSorted((a, b) => a - b)
  const exhausted = recent.length > policy.restarts
  return { window: recent.slice(-(policy.restarts + 1)), exhausted }
}
