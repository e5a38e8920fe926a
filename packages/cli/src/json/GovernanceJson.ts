/**
 * The checklist of dead letters and replays, as `muster spec --json` tells it.
 */
import * as Schema from "effect/Schema"

export const GovernanceJson = Schema.Struct({
  letters: Schema.Int,
  replay_eligible: Schema.Int.annotate({ description: "Letters that may be replayed and were not yet" }),
  forbidden: Schema.Int.annotate({
    description: "Letters that may not be replayed until somebody allows it"
  }),
  replayed: Schema.Int,
  discarded: Schema.Int,
  codes: Schema.Array(
    Schema.Struct({ code: Schema.String, letters: Schema.Int, replay_eligible: Schema.Boolean })
  ),
  checklist: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      sentence: Schema.String.annotate({ description: "What must be true" }),
      status: Schema.Literals(["holds", "broken", "attend"]).annotate({
        description: "attend: nothing is wrong, and somebody should look"
      }),
      seen: Schema.String,
      jobs: Schema.Array(Schema.String).annotate({
        description: "The first of those that it is not true of"
      }),
      command: Schema.String.annotate({ description: "What an operator can do" })
    })
  )
})
