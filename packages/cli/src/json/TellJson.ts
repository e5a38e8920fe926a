/**
 * What became of a message to an agent, as `muster tell --json` tells it. One that nobody takes is an error.
 */
import * as Schema from "effect/Schema"

export const TellJson = Schema.Struct({
  message_id: Schema.String,
  consumer_agent: Schema.String.annotate({ description: "agent:<job id>" }),
  message_type: Schema.String,
  answer: Schema.Literals(["accepted"]).annotate({
    description: "It waits in the agent's mailbox, or was read"
  }),
  duplicate: Schema.Boolean.annotate({
    description: "A message with this request id was there before; it is there once"
  })
})
export type TellJson = typeof TellJson.Type
