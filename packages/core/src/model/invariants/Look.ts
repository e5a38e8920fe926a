/** How the invariants of the fleet look at a world: job by job, in a state or in a step. */
import type { EventDraft } from "../../domain/LifecycleEvent.ts"
import type { RetryEntry } from "../../domain/turn/Draft.ts"
import type { FleetLane } from "../FleetLanes.ts"
import type { Invariant } from "../Invariant.ts"
import type { Tier } from "../Tier.ts"
import type { AlarmName } from "../world/Alarm.ts"
import type { Host, Stored, World } from "../world/World.ts"

/** An invariant of Muster, of any tier or of one. */
export type FleetInvariant<T extends Tier = Tier> = Invariant<World, T, FleetLane>

/** Sentences; null and empty say nothing. */
type Said = string | null | ReadonlyArray<string>

const listed = (said: Said): ReadonlyArray<string> =>
  said === null ? [] : typeof said === "string" ? [said] : said

const joined = (all: ReadonlyArray<string>): string | null => (all.length === 0 ? null : all.join("; "))

/** What is wrong with a job, in any state of the world. */
export const ofEachJob =
  (look: (stored: Stored, world: World) => Said) =>
  (world: World): string | null => {
    const all: Array<string> = []
    for (const stored of world.jobs.values())
      for (const text of listed(look(stored, world))) all.push(`job ${stored.job.seq}: ${text}`)
    return joined(all)
  }

/** What is wrong with what a step has made of a job; `before` is null for one that it has made. Jobs that it left alone are not looked at. */
export const ofEachChange =
  (
    look: (
      before: Stored | null,
      after: Stored,
      worlds: { readonly before: World; readonly after: World }
    ) => Said
  ) =>
  (before: World, after: World): string | null => {
    const all: Array<string> = []
    for (const stored of after.jobs.values()) {
      const former = before.jobs.get(stored.job.seq) ?? null
      if (former === stored) continue
      for (const text of listed(look(former, stored, { before, after })))
        all.push(`job ${stored.job.seq}: ${text}`)
    }
    return joined(all)
  }

/** What is wrong with a host that the store takes writes of, in any state of the world. */
export const ofEachHost =
  (look: (host: Host, world: World) => Said) =>
  (world: World): string | null => {
    const all: Array<string> = []
    for (const host of world.hosts)
      if (host.living) for (const text of listed(look(host, world))) all.push(`host ${host.epoch}: ${text}`)
    return joined(all)
  }

/** What the world itself has seen happen: some faults show in the moment only, and in no state afterwards. */
export const alarmed =
  (name: AlarmName) =>
  (world: World): string | null =>
    joined(world.alarms.filter((alarm) => alarm.name === name).map(({ text }) => text))

/** Two predicates as one. */
export const both =
  <State>(...looks: ReadonlyArray<(state: State) => string | null>) =>
  (state: State): string | null =>
    joined(looks.flatMap((look) => listed(look(state))))

/** The events that a step has added, notes left out. */
export const movesSince = (before: Stored | null, after: Stored): ReadonlyArray<EventDraft> =>
  after.events.slice(before?.events.length ?? 0).filter(({ toState }) => toState !== null)

/** The rows that a step has added to the retry log. */
export const retriesSince = (before: Stored | null, after: Stored): ReadonlyArray<RetryEntry> =>
  after.retries.slice(before?.retries.length ?? 0)

/** The numbers of the jobs: liveness is said of each. */
export const jobNumbers = (world: World): ReadonlyArray<number> => [...world.jobs.keys()]
