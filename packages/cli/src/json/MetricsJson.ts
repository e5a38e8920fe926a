/**
 * What `muster metrics --json` says.
 */
import * as Schema from "effect/Schema"

export const MetricsJson = Schema.Struct({
  host: Schema.Int,
  prometheus: Schema.String.annotate({ description: "Its metrics in the text format of Prometheus" })
})
export type MetricsJson = typeof MetricsJson.Type
