/**
 * A state machine as `muster machine --json` tells it: the very table that moves the fleet.
 */
import * as Schema from "effect/Schema"

export const MachineJson = Schema.Struct({
  name: Schema.String,
  initial: Schema.String,
  states: Schema.Array(Schema.String),
  final: Schema.Array(Schema.String),
  creation: Schema.Struct({ event: Schema.String, reasons: Schema.Array(Schema.String) }),
  edges: Schema.Array(
    Schema.Struct({
      from: Schema.String,
      event: Schema.String,
      to: Schema.String,
      reasons: Schema.Array(Schema.String).annotate({
        description: "The closed vocabulary of transition_reason for this move"
      })
    })
  )
})
export type MachineJson = typeof MachineJson.Type
