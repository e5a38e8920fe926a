/**
 * A state machine as `muster machine --json` tells it: the very table that moves the fleet.
 */
import * as Schema from "effect/Schema"

export const PhaseJson = Schema.Struct({
  name: Schema.String,
  states: Schema.Array(Schema.String).annotate({ description: "While the machine is in one of these" }),
  does: Schema.String
})

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
  ),
  meanings: Schema.Record(Schema.String, Schema.String).annotate({
    description: "Of each state: what it means"
  }),
  phases: Schema.Array(PhaseJson).annotate({ description: "In the order in which a life goes through them" })
})
export type MachineJson = typeof MachineJson.Type
