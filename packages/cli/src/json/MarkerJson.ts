/**
 * A step of a job as `muster show --json` tells it: what its agents have begun and finished, and the runtime's own markers.
 */
import { isoInstant, type MarkerRow } from "@muster/core"
import * as Schema from "effect/Schema"
import { parsed } from "./Parsed.ts"

export const MarkerJson = Schema.Struct({
  name: Schema.String,
  state: Schema.Literals(["started", "finished", "cleared"]).annotate({
    description: "cleared: it was started, and somebody who knows has said that it was not done"
  }),
  incarnation: Schema.Int.annotate({ description: "The life that wrote it" }),
  at: Schema.String,
  result: Schema.Unknown.annotateKey({ description: "Null unless it is finished" })
})
export type MarkerJson = typeof MarkerJson.Type

export const markerJson = (row: MarkerRow): MarkerJson => ({
  name: row.name,
  state: row.state === "finished" || row.state === "cleared" ? row.state : "started",
  incarnation: row.incarnation,
  at: isoInstant(row.at),
  result: parsed(row.result)
})
