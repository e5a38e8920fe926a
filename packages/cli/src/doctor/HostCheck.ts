/**
 * Hosts: which beat, which are silent, and which are proven gone. With `fix` those that are proven gone on this machine are fenced, as any host
 * that starts would do; one that may live is never touched, be it silent or stopped by a signal (R19).
 */
import { type HostRow, Store } from "@muster/core"
import { HostProbe } from "@muster/fleet"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { relative } from "../output/Duration.ts"
import { isBeating } from "../store/Hosts.ts"
import { allRows } from "../store/Pages.ts"
import { counted, type Diagnosis, of } from "./Diagnosis.ts"

export interface HostSeen {
  readonly row: HostRow
  readonly liveness: HostProbe.Liveness
  /** Jobs that it holds. */
  readonly holds: number
  /** It was fenced just now. */
  readonly fenced: boolean
}

const { bad, fixed, ok, warn } = of("hosts")

const pidOf = ({ identity }: HostRow): string => {
  const pid = HostProbe.fromText(identity)?.pid
  return pid === undefined ? "" : ` (pid ${pid})`
}

/** Of a host whose epoch is not over, or was not until now. */
export const hostDiagnosis = ({ fenced, holds, liveness, row }: HostSeen, now: number): Diagnosis => {
  const name = `host ${row.host}${pidOf(row)}`
  const beat = `its last beat was ${relative(row.beat_at, now)}`
  const held = holds === 0 ? "it holds no job" : `it holds ${counted(holds, "job")}`
  if (fenced)
    return fixed(
      `${name} was gone and is fenced: ${holds === 0 ? held : `${held}, which the next host adopts`}`
    )
  if (liveness === "gone")
    return bad(
      `${name} is gone, killed or crashed: ${held}`,
      holds === 0
        ? "the next host that starts sees to it; so does muster doctor --fix"
        : "start a host: it adopts the work. muster doctor --fix fences this one"
    )
  if (isBeating(row, now)) return ok(`${name} beats`)
  return liveness === "alive"
    ? warn(
        `${name} is there and doesn't beat: ${beat}, ${held}`,
        "it may be stopped (kill -CONT), overloaded, or without its disk. Another host takes its work over after a lease; end its process to be rid of it"
      )
    : warn(
        `${name} is silent, and whether it lives can't be told from here: ${beat}, ${held}`,
        "look at its machine. Another host takes its work over after a lease"
      )
}

const look = Effect.fnUntraced(function* (row: HostRow, fix: boolean) {
  const store = yield* Store
  const probe = yield* HostProbe.HostProbe
  const identity = HostProbe.fromText(row.identity)
  const liveness: HostProbe.Liveness = identity === null ? "unknown" : yield* probe.probe(identity)
  const held = yield* store.agents({ by: "owner", host: row.host, epoch: row.epoch })
  const { beat, epoch, host } = row
  const fenced =
    fix && liveness === "gone"
      ? yield* store.fence({ host, epoch, beat, as: "fenced", at: yield* Clock.currentTimeMillis })
      : false
  const seen: HostSeen = { row, liveness, holds: held.length, fenced }
  return seen
})

/** All hosts that the store knows, and what was found of those whose epoch is not over. */
export const checkHosts = Effect.fnUntraced(function* (fix: boolean) {
  const store = yield* Store
  const now = yield* Clock.currentTimeMillis
  const records = yield* allRows(
    (after, limit) => store.records({ kind: "hosts", job: null, after, limit }),
    ({ cursor }) => cursor
  )
  const all = records.map(({ row }) => row)
  const open = all.filter(({ state }) => state === "live")
  const seen = yield* Effect.forEach(open, (row) => look(row, fix))
  const diagnoses = seen.map((one) => hostDiagnosis(one, now))
  const isOver = (row: HostRow): boolean =>
    row.state !== "live" || seen.some(({ fenced, row: other }) => fenced && other.host === row.host)
  return {
    /** Whose epochs are over. */
    over: all.filter(isOver),
    /** Whose are not: each may live, unless it is proven gone. */
    open: seen.filter(({ fenced }) => !fenced),
    diagnoses: diagnoses.length === 0 ? [ok("none is running")] : diagnoses
  }
})

export type HostsSeen = Effect.Success<ReturnType<typeof checkHosts>>
