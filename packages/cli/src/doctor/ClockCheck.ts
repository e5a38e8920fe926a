/**
 * Whether this machine's clock and the store's times fit together: due times and retention are by it.
 */
import { defaults, isoInstant, Store } from "@muster/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { brief } from "../output/Duration.ts"
import { allRows } from "../store/Pages.ts"
import { type Diagnosis, of } from "./Diagnosis.ts"

const { bad, ok } = of("clock")

/** `latest`: the newest time that the store knows, epoch ms; null for none. `what`: whose it is. */
export const clockDiagnosis = (
  now: number,
  latest: { readonly at: number; readonly what: string } | null
): Diagnosis => {
  if (latest === null) return ok(`${isoInstant(now)}; the store has no times to compare`)
  if (latest.at <= now + defaults.leaseMillis) return ok(`${isoInstant(now)}, not behind the store`)
  return bad(
    `this clock says ${isoInstant(now)}, and ${latest.what} is ${brief(latest.at - now)} ahead of it (${isoInstant(latest.at)})`,
    "set the clock: until it has caught up, what is due waits too long and nothing is forgotten"
  )
}

export const checkClock = Effect.gen(function* () {
  const store = yield* Store
  const now = yield* Clock.currentTimeMillis
  const [event] = yield* store.events({ job: null, after: 0, limit: 1, order: "descending" })
  const hosts = yield* allRows(
    (after, limit) => store.records({ kind: "hosts", job: null, after, limit }),
    ({ cursor }) => cursor
  )
  const times = [
    ...(event === undefined ? [] : [{ at: event.occurredAt, what: "the store's latest event" }]),
    ...hosts.map(({ row }) => ({ at: row.beat_at, what: `the last beat of host ${row.host}` }))
  ]
  return [clockDiagnosis(now, times.toSorted((a, b) => b.at - a.at)[0] ?? null)]
})
