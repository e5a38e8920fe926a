/**
 * Who has answered a command: a running host over its socket, or the store, because no host did.
 */
import * as Schema from "effect/Schema"

export const SourceJson = Schema.Literals(["host", "store"]).annotate({
  description:
    "host: a running host answered over its socket and acts at once; store: none did, and the store answers"
})
