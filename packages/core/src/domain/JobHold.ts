/**
 * Why a job is parked: it is not runnable, whatever its due time, until an operator settles it (R28). JSON text in the job's row.
 */
import { Option, Schema } from "effect"

export const JobHold = Schema.Struct({
  kind: Schema.Literal("outcome_unknown"),
  /** The steps of which nobody knows whether they were done; at least one. */
  markers: Schema.Array(Schema.String),
  /** Epoch ms since which it is asked. */
  at: Schema.Finite
})
export type JobHold = typeof JobHold.Type

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(JobHold))

/** The hold behind a row's text; null for none, and for one of another version. */
export const readHold = (text: string | null): JobHold | null =>
  text === null ? null : Option.getOrNull(decode(text))

/** The question whether these steps were done, as a row keeps it; null where there is nothing to ask. */
export const askAbout = (markers: ReadonlyArray<string>, at: number): string | null =>
  markers.length === 0 ? null : JSON.stringify({ kind: "outcome_unknown", markers, at } satisfies JobHold)
