/**
 * The retry log of a job as lines for people.
 */
import type { RetryRow } from "@muster/core"
import { parsed } from "../json/Parsed.ts"
import { brief, relative } from "./Duration.ts"
import type { Column } from "./Table.ts"

/** A failure's message, as the retry log keeps it. */
const failureMessage = (row: RetryRow): string => {
  const failure = parsed(row.failure)
  if (typeof failure !== "object" || failure === null || !("message" in failure)) return ""
  return String(failure.message)
}

export const retryColumns = (now: number): ReadonlyArray<Column<RetryRow>> => [
  { title: "tries", align: "right", value: ({ attempt }) => String(attempt) },
  { title: "failed", align: "right", value: ({ at }) => relative(at, now) },
  { title: "code", value: ({ error_code }) => error_code },
  { title: "burned", value: ({ burned }) => (burned === 0 ? "no" : "yes") },
  { title: "wait", align: "right", value: ({ delay_ms }) => brief(delay_ms) },
  { title: "message", value: failureMessage, shrinkTo: 10 }
]
