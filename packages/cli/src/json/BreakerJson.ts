/**
 * A storm breaker that holds a workflow's jobs back, as `muster status --json` and `muster show --json` tell it.
 */
import { type BreakerRow, isoInstant } from "@muster/core"
import * as Schema from "effect/Schema"

export const BreakerJson = Schema.Struct({
  workflow_type: Schema.String,
  state: Schema.String.annotate({
    description: "open: no job starts; half_open: one does, as a probe, and its end decides"
  }),
  failures: Schema.Int.annotate({
    description: "Those that opened it, and the probes that have failed since"
  }),
  opened_at: Schema.NullOr(Schema.String).annotate({ description: "Since when jobs wait and burn nothing" }),
  probe_at: Schema.NullOr(Schema.String).annotate({
    description:
      "Open: when a probe may start. Half-open: when the probe counts as sound, if it is still at work"
  })
})
export type BreakerJson = typeof BreakerJson.Type

const instant = (at: number | null): string | null => (at === null ? null : isoInstant(at))

export const breakerJson = (row: BreakerRow): BreakerJson => ({
  workflow_type: row.workflow_type,
  state: row.state,
  failures: row.failures,
  opened_at: instant(row.opened_at),
  probe_at: instant(row.probe_at)
})
