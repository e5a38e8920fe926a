/**
 * Fault injection: named points in the life of a job, at which this process signals itself. The store and the plugins of the host are
 * wrapped with them; the product knows nothing of it.
 */
import { writeSync } from "node:fs"
import { Effect } from "effect"
import type { Fault, HostNews } from "../HostProtocol.ts"

/** At once and synchronously: the next thing that happens may be the end of this process. */
export const say = (news: HostNews): void => {
  writeSync(1, `${JSON.stringify(news)}\n`)
}

let armed: { readonly fault: Fault; passed: number } | null = null

/** From now on this fault is waited for, and no other one. */
export const arm = (fault: Fault | null): void => {
  armed = fault === null ? null : { fault, passed: 0 }
}

/** Passes a point. */
export const pass = (point: string): void => {
  if (armed === null || armed.fault.point !== point) return
  armed.passed += 1
  if (armed.passed < armed.fault.nth) return
  const { signal } = armed.fault
  armed = null
  say({ at: "fault", point })
  process.kill(process.pid, signal)
}

/** Passes `<name>:before`, and `<name>:after` when the effect has succeeded. */
export const around = <A, E, R>(name: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    pass(`${name}:before`)
    return Effect.tap(effect, () => Effect.sync(() => pass(`${name}:after`)))
  })
