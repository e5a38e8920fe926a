/**
 * A row of the retry log as `muster show --json` tells it, and the shorter form that stands in a dead letter.
 */
import { isoInstant, RetryHistoryEntry, type RetryRow } from "@muster/core"
import * as Schema from "effect/Schema"
import { parsed } from "./Parsed.ts"

export const RetryJson = Schema.Struct({
  ...RetryHistoryEntry.fields,
  incarnation: Schema.Int,
  failure: Schema.Unknown.annotateKey({
    description: "What went wrong: code, message, detail, retryAfterMillis, cause"
  })
})
export type RetryJson = typeof RetryJson.Type

export const retryHistory = (row: RetryRow): RetryHistoryEntry => ({
  attempt: row.attempt,
  error_code: row.error_code,
  burned: row.burned !== 0,
  delay_ms: row.delay_ms,
  next_at: isoInstant(row.next_at),
  at: isoInstant(row.at)
})

export const retryJson = (row: RetryRow): RetryJson => ({
  ...retryHistory(row),
  incarnation: row.incarnation,
  failure: parsed(row.failure)
})
