/**
 * Settling what nobody knew, with nothing but the store (R24, R28): for hosts and for command lines alike. The wish is a row of intent; a host
 * that looks at it writes what it says, or the command line does where nobody owns the job.
 */
import {
  BoundedText,
  Draft,
  ErrorCatalogue,
  type IntentRow,
  type Job,
  limits,
  MarkerInvalid,
  readAskedOf,
  readSettlement,
  settle as decideSettle,
  type Settlement,
  settlementText,
  SettleTooLate,
  Store
} from "@muster/core"
import { Clock, Effect, Result } from "effect"
import { instant } from "../Instant.ts"
import { intentRow, saidReason } from "./Operations.ts"

export interface SettleWish {
  /** The step; null: the only one that is open. */
  readonly marker: string | null
  readonly outcome: Settlement["outcome"]
  /** JSON data: what later incarnations get as the step's result; only of `done`. */
  readonly result?: unknown
  /** `kind:id`. */
  readonly actor: string
  /** In the words of who settles; null: nothing said. */
  readonly reason: string | null
  /** Repeating a request under the same id answers as the first did (R24); null: each is its own. */
  readonly requestId: string | null
}

const tooLate = ({ agent, jobId }: Job, marker: string): SettleTooLate =>
  new SettleTooLate({ jobId, marker, open: agent?.steps ?? [] })

const settlementOf = (
  job: Job,
  wish: SettleWish
): Result.Result<Settlement, MarkerInvalid | SettleTooLate> => {
  const open = job.agent?.steps ?? []
  const marker = wish.marker ?? (open.length === 1 ? (open[0] ?? "") : "")
  // The row of a repeated request is there already, and names its step itself.
  if (marker === "" && wish.requestId === null) return Result.fail(tooLate(job, marker))
  if (wish.outcome !== "done") return Result.succeed({ marker, outcome: wish.outcome })
  return Result.mapBoth(BoundedText.encodeJson(wish.result, limits.markerBytes), {
    onFailure: ({ detail }) => new MarkerInvalid({ jobId: job.jobId, marker, detail }),
    onSuccess: (json): Settlement => ({ marker, outcome: "done", result: JSON.parse(json) })
  })
}

/** Records the wish, and answers its row; for a repeated request the first one's, whatever has come of it. */
export const ask = Effect.fn("Settlements.ask")(function* (job: Job, wish: SettleWish) {
  const store = yield* Store
  const settlement = yield* Effect.fromResult(settlementOf(job, wish))
  const at = instant(yield* Clock.Clock)
  const { intents } = yield* (
    store
      .commit({
        fence: null,
        at,
        intents: [
          {
            kind: "settle",
            job: job.seq,
            host: null,
            value: settlementText(settlement, job.agent?.incarnation ?? null),
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

/** What the row of intent says; null where it says no settlement. */
export const wanted = (row: IntentRow): Settlement | null => readSettlement(row.value)

/** What the row of intent says, and what has come of it: the settlement, or `ORCH_SETTLE_TOO_LATE`; null while it is open. */
export const answerOf = Effect.fnUntraced(function* (row: IntentRow) {
  const settlement = readSettlement(row.value)
  if (row.outcome === null) return null
  if (row.outcome === "settled" && settlement !== null) return settlement
  const store = yield* Store
  const [found] = yield* store.jobs({ by: "seq", seqs: [row.job ?? 0], bodies: false })
  return found === undefined
    ? yield* Effect.die(`intent ${row.intent} is about no job`)
    : yield* tooLate(found.job, settlement?.marker ?? "")
})

/** Carries the wish out without a host. It stays open where a host owns the job, or has written its row in this moment. */
export const carryOut = Effect.fn("Settlements.carryOut")(function* (row: IntentRow) {
  const store = yield* Store
  const settlement = readSettlement(row.value)
  if (row.job === null || settlement === null) return
  const [found] = yield* store.jobs({ by: "seq", seqs: [row.job], bodies: false })
  if (found === undefined || (found.job.agent !== null && found.job.agent.owner !== null)) return
  const now = instant(yield* Clock.Clock)
  const draft = Draft.begin(new Map())
  const env = {
    now,
    seed: 0,
    owner: null,
    actor: row.actor,
    catalogue: yield* ErrorCatalogue.compile(),
    workflows: new Map<string, never>()
  }
  const { actor, intent } = row
  const askedOf = readAskedOf(row.value)
  decideSettle(draft, env, found.job, { settlement, askedOf, actor, text: saidReason(row), intent })
  yield* store.commit({ fence: null, at: now, changes: draft.changes.values(), settled: draft.settled })
})
