/**
 * What operators ask of hosts, as rows of intent, with nothing but the store: for hosts and for command lines alike. A row is in
 * force from its commit on; what it means is decided in core's Intent.ts.
 */
import { HostNotFound, type HostRow, Intent, type IntentRow, Store, type StoreService } from "@muster/core"
import { Clock, Effect } from "effect"
import { instant } from "../Instant.ts"

export interface HostWish {
  readonly kind: Intent.HostIntent
  /** Null: all hosts. */
  readonly host: number | null
  /** JSON text; null for none. */
  readonly value: string | null
  /** In the words of who asks; null: nothing said. */
  readonly reason: string | null
  /** `kind:id`. */
  readonly actor: string
  /** Repeating a request under the same id answers with the first one's row (R24); null: each is its own. */
  readonly requestId: string | null
}

const pageSize = 500

/** Every page of a list that is short by nature. */
const all = Effect.fnUntraced(function* <Row extends { readonly cursor: number }, E>(
  query: (after: number) => Effect.Effect<ReadonlyArray<Row>, E>
) {
  const rows: Array<Row> = []
  for (let after = 0; ;) {
    const page = yield* query(after)
    rows.push(...page)
    const last = page.at(-1)
    if (last === undefined || page.length < pageSize) return rows
    after = last.cursor
  }
})

/** The intents that nobody has settled, in order of arrival. */
export const openIntents = (store: StoreService) =>
  Effect.map(
    all((after) => store.records({ kind: "intents", job: null, after, limit: pageSize, open: true })),
    (records) => records.map(({ row }) => row)
  )

/** The hosts whose epoch is not over; one that was killed is among them until another host fences it. */
export const liveHosts = (store: StoreService) =>
  Effect.map(
    all((after) => store.records({ kind: "hosts", job: null, after, limit: pageSize })),
    (records) => records.map(({ row }) => row).filter(({ state }) => state === "live")
  )

/** The row as it stands now; null: no such intent. */
export const intentRow = (store: StoreService, intent: number) =>
  Effect.map(store.records({ kind: "intents", job: null, after: intent - 1, limit: 1 }), ([found]) =>
    found?.row.intent === intent ? found.row : null
  )

/** Stands where nothing was said: an intent must have a reason. */
const unsaid = new Set(["operator", "caller"])

/** The words that were given with it; null: none. */
export const saidReason = ({ reason }: IntentRow): string | null => (unsaid.has(reason) ? null : reason)

/** Records the wish, and answers its row; for a repeated request the first one's, whatever has come of it (R24). */
export const ask = Effect.fn("Operations.ask")(function* (wish: HostWish) {
  const store = yield* Store
  const { host } = wish
  // The row of a repeated request is there already, and its host may be gone by now.
  if (host !== null && wish.requestId === null) {
    const hosts = yield* liveHosts(store)
    if (!hosts.some((live) => live.host === host)) return yield* new HostNotFound({ host })
  }
  const at = instant(yield* Clock.Clock)
  const { intents } = yield* (
    store
      .commit({
        fence: null,
        at,
        intents: [
          {
            kind: wish.kind,
            job: null,
            host,
            value: wish.value,
            reason: wish.reason ?? "operator",
            actor: wish.actor,
            requested_at: at,
            request_id: wish.requestId
          }
        ]
      })
      // An insert of an intent moves no row and carries no fence.
      .pipe(Effect.catchTag(["ORCH_STORE_STALE", "ORCH_HOST_FENCED"], Effect.die))
  )
  const row = yield* intentRow(store, intents[0] ?? 0)
  return row ?? (yield* Effect.die("the store gave the intent no number"))
})

/**
 * Settles, without being a host, what has come to its end: a resume and what it ends, scales that are superseded, and drains of which
 * no host is left that could say more.
 *
 * @param beats whether a live host gives a sign of life: then its drain is its own to end
 */
export const settle = Effect.fn("Operations.settle")(function* (beats: (host: HostRow) => boolean) {
  const store = yield* Store
  const open = yield* openIntents(store)
  const hosts = yield* liveHosts(store)
  const settled = Intent.settlements(open, {
    live: new Set(hosts.map(({ host }) => host)),
    busy: new Set(hosts.filter(beats).map(({ host }) => host))
  })
  if (settled.length === 0) return
  const at = instant(yield* Clock.Clock)
  yield* store
    .commit({ fence: null, at, settled })
    .pipe(Effect.catchTag(["ORCH_STORE_STALE", "ORCH_HOST_FENCED"], Effect.die))
})
