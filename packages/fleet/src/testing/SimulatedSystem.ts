/**
 * The operating system as a host sees it: which other processes live, and how what they left behind is killed.
 */
import { Effect, Layer } from "effect"
import { HostProbe } from "../adapters/process/HostProbe.ts"
import { ProcessReaper } from "../adapters/process/ProcessReaper.ts"
import type { Chance } from "./Chance.ts"
import type { Outside } from "./Outside.ts"

/** What the system knows. */
export interface SystemView {
  /** By pid, less one. */
  readonly hosts: ReadonlyArray<{ readonly seenGone: boolean }>
  readonly outside: Outside
  /** Nothing goes wrong any more. */
  readonly calm: boolean
}

const identity = (pid: number) => ({ machine: "simulated", boot_id: "boot", pid, start_time: String(pid) })

/** For the host with this pid. A probe may fail, which says nothing; and something may hang in the system, for a while. */
export const makeSystem = (
  pid: number,
  view: SystemView,
  chance: Chance
): Layer.Layer<HostProbe | ProcessReaper> =>
  Layer.mergeAll(
    Layer.succeed(HostProbe, {
      self: Effect.succeed(identity(pid)),
      probe: (other) =>
        Effect.sync(() => {
          if (view.hosts[other.pid - 1]?.seenGone === true) return "gone"
          return chance.is(0.5) ? "unknown" : "alive"
        })
    }),
    Layer.succeed(ProcessReaper, {
      find: () => Effect.succeed([]),
      reap: (tokens) =>
        Effect.suspend(() => Effect.sleep(chance.is(0.7) ? 0 : chance.int(1, 500))).pipe(
          Effect.andThen(
            Effect.sync(() => {
              const token = view.calm || chance.is(0.9) ? undefined : view.outside.living(tokens)
              view.outside.reap(tokens.filter((other) => other !== token))
              return { killed: [], left: token === undefined ? [] : [{ pid: 1, pgid: 1, token }] }
            })
          )
        )
    })
  )
