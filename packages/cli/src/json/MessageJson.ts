/**
 * An undeliverable message as `muster dlq messages --json` tells it: a dead letter of the message kind.
 */
import { type DeadMessageJson, isoInstant, type MessageRow } from "@muster/core"
import { parsed } from "./Parsed.ts"

export const messageJson = (number: number, row: MessageRow): DeadMessageJson => ({
  number,
  at: isoInstant(row.at),
  // The store's host writes words of this vocabulary alone; a store of a newer program isn't opened.
  reason: row.reason as DeadMessageJson["reason"],
  message_id: row.message_id,
  producer_agent: row.producer_agent,
  consumer_agent: row.consumer_agent,
  message_type: row.message_type,
  envelope: parsed(row.envelope)
})
