/**
 * The audit's look at hosts and at what operators want.
 */
import { Clock, Effect } from "effect"
import type { Findings } from "../domain/audit/Finding.ts"
import { checkIntent, checkSlots } from "../domain/audit/fleetWide.ts"
import { HostRegister } from "../domain/audit/HostRegister.ts"
import { jobId } from "../domain/Job.ts"
import { Store } from "./Store.ts"
import { bankedSlots, seenHost } from "./StoreAuditRows.ts"
import { allRows, eachRow, readable } from "./StorePages.ts"
import type { IntentRow } from "./StoreRows.ts"

/** All hosts as they stand now. */
export const readHosts = Effect.gen(function* () {
  const store = yield* Store
  const hosts = yield* allRows(
    (after, limit) => store.records({ kind: "hosts", job: null, after, limit }),
    ({ cursor }) => cursor
  )
  return new HostRegister(
    hosts.map(({ row }) => seenHost(row)),
    yield* Clock.currentTimeMillis
  )
})

/** An open wish about a job, looked at again with its job and the hosts as they stand after it. */
const lookAgain = Effect.fnUntraced(function* (
  { intent, job: seq, kind, requested_at }: IntentRow,
  found: Findings
) {
  const store = yield* Store
  if (seq === null) return
  const jobs = yield* readable(store.jobs({ by: "seq", seqs: [seq], bodies: false }))
  if (jobs === null) return
  const hosts = yield* readHosts
  const open = yield* store.records({ kind: "intents", job: seq, after: intent - 1, limit: 1, open: true })
  if (open[0]?.cursor !== intent) return
  const [stored] = jobs
  if (stored === undefined) {
    const detail = `${kind} of job ${jobId(store.id, seq)}, which doesn't exist`
    found.add("intent-open", `intent:${intent}`, detail)
  } else checkIntent({ intent, kind, requestedAt: requested_at }, stored.job, hosts, found)
})

/** Looks at every wish; answers the hosts that somebody has scaled (null among them: all), whose banks may be older than that. */
export const checkIntents = Effect.fnUntraced(function* (found: Findings) {
  const store = yield* Store
  const scaled = new Set<number | null>()
  const open: Array<IntentRow> = []
  yield* eachRow(
    (after, limit) => store.records({ kind: "intents", job: null, after, limit }),
    ({ cursor }) => cursor,
    ({ row }) => {
      if (row.kind === "scale") scaled.add(row.host)
      if (row.settled_at === null && row.job !== null) open.push(row)
    }
  )
  for (const intent of open) yield* lookAgain(intent, found)
  return scaled
})

/** Holds each live host to the slots that it has banked. One query a host, so that its lives are those of one instant. */
export const checkHosts = Effect.fnUntraced(function* (scaled: ReadonlySet<number | null>, found: Findings) {
  const store = yield* Store
  const banks = new Map<number, number | null>()
  yield* eachRow(
    (after, limit) => store.records({ kind: "banks", job: null, after, limit }),
    ({ cursor }) => cursor,
    ({ row }) => banks.set(row.host, bankedSlots(row.bank))
  )
  const hosts = yield* allRows(
    (after, limit) => store.records({ kind: "hosts", job: null, after, limit }),
    ({ cursor }) => cursor
  )
  for (const { row } of hosts) {
    const { epoch, host, state } = row
    if (state !== "live" || scaled.has(null) || scaled.has(host)) continue
    const owned = yield* readable(store.agents({ by: "owner", host, epoch }))
    if (owned !== null) checkSlots(host, owned, banks.get(host) ?? null, found)
  }
})
