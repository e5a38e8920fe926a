/**
 * Records of the store in the words that the audit decides in.
 */
import { Option, Predicate, Result } from "effect"
import type { SeenHost } from "../domain/audit/HostRegister.ts"
import type { DeadLetterDraft } from "../domain/DeadLetter.ts"
import type { Marker } from "../domain/Marker.ts"
import type { RetryEntry } from "../domain/turn/Draft.ts"
import type { HostRow, LetterRow, MarkerRow, RetryRow } from "./StoreRows.ts"

export const entryOf = (row: RetryRow): RetryEntry => ({
  attempt: row.attempt,
  incarnation: row.incarnation,
  errorCode: row.error_code,
  burned: row.burned !== 0,
  delayMillis: row.delay_ms,
  nextAt: row.next_at,
  at: row.at,
  failure: row.failure
})

export const draftOf = (row: LetterRow): DeadLetterDraft => ({
  finalState: row.final_state,
  failureErrorCode: row.failure_error_code,
  failureSummary: row.failure_summary,
  quarantinedAt: row.quarantined_at,
  replayEligible: row.replay_eligible !== 0,
  ...(row.raw === null ? {} : { raw: row.raw })
})

export const markerOf = (row: MarkerRow): Marker => ({
  name: row.name,
  state: row.state === "finished" || row.state === "cleared" ? row.state : "started",
  incarnation: row.incarnation,
  at: row.at,
  result: row.result
})

export const seenHost = (row: HostRow): SeenHost => ({
  host: row.host,
  epoch: row.epoch,
  live: row.state === "live",
  beatAt: row.beat_at,
  enlistedAt: row.enlisted_at
})

/** The slots that a bank speaks of; null where it doesn't. */
export const bankedSlots = (bank: string): number | null => {
  const parsed = Option.getOrUndefined(Result.getSuccess(Result.try((): unknown => JSON.parse(bank))))
  const slots: unknown = Predicate.hasProperty(parsed, "slots") ? parsed.slots : null
  return typeof slots === "number" ? slots : null
}
