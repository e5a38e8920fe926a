/**
 * What an operator wants of hosts, as `muster pause`, `resume`, `drain` and `scale` tell it with `--json`: the row of intent as the store
 * has it, and how the fleet stands by all of them.
 */
import { Intent, type IntentRow, isoInstant } from "@muster/core"
import { Operations } from "@muster/fleet"
import * as Schema from "effect/Schema"
import type { Source } from "../hosts/LiveHosts.ts"
import { parsed } from "./Parsed.ts"
import { SourceJson } from "./SourceJson.ts"

const modes = ["running", "paused", "draining"] as const

export const ModeJson = Schema.Literals(modes).annotate({
  description: "By what is open in the store: paused and draining hosts take no new job; what runs goes on"
})

const wishFields = {
  intent: Schema.Int.annotate({ description: "The number of the wish, in order of arrival" }),
  host: Schema.NullOr(Schema.Int).annotate({ description: "The host that it addresses; null for all" }),
  actor: Schema.String.annotate({ description: "Who wants it" }),
  reason: Schema.NullOr(Schema.String).annotate({ description: "Why, in their words; null: nothing said" }),
  requested_at: Schema.String
}

export const OpenWishJson = Schema.Struct(wishFields)
export type OpenWishJson = typeof OpenWishJson.Type

export const WishJson = Schema.Struct({
  kind: Schema.Literals(Intent.hostIntents),
  ...wishFields,
  slots: Schema.NullOr(Schema.Int).annotate({
    description: "Of a scale: the slots; null for a reset, and for the other kinds"
  }),
  outcome: Schema.NullOr(Schema.String).annotate({
    description:
      "What came of it: resumed or not_paused; drained or host_gone; superseded or reset. Null while it is in force"
  }),
  mode: ModeJson,
  source: SourceJson
})
export type WishJson = typeof WishJson.Type

/** How the fleet takes work, by the open intents. A drain of single hosts leaves the others running. */
export const modeJson = (open: ReadonlyArray<IntentRow>): (typeof modes)[number] => {
  if (Intent.pausesOf(open).length > 0) return "paused"
  return Intent.drainsOf(open).some(({ host }) => host === null) ? "draining" : "running"
}

export const openWishJson = (row: IntentRow): OpenWishJson => ({
  intent: row.intent,
  host: row.host,
  actor: row.actor,
  reason: Operations.saidReason(row),
  requested_at: isoInstant(row.requested_at)
})

const slotsOf = (row: IntentRow): number | null => Intent.controlOf([row], row.host ?? 0).slots

/** @param kind one of the kinds that the schema names: commands ask for no other */
export const wishJson = (
  kind: Intent.HostIntent,
  row: IntentRow,
  open: ReadonlyArray<IntentRow>,
  source: Source
): WishJson => ({
  kind,
  ...openWishJson(row),
  slots: slotsOf(row),
  outcome: row.outcome,
  mode: modeJson(open),
  source
})

const contentOf = (bank: string): object => {
  const content = parsed(bank)
  return typeof content === "object" && content !== null ? content : {}
}

/** What a bank says of its host's slots; null where it says nothing. */
export const bankedSlots = (bank: string): number | null => {
  const content = contentOf(bank)
  return "slots" in content && typeof content.slots === "number" ? content.slots : null
}

/** What a bank says is below its host's floor (R13); null: nothing, or it says nothing. */
export const bankedScarcity = (bank: string): string | null => {
  const content = contentOf(bank)
  return "scarce" in content && typeof content.scarce === "string" ? content.scarce : null
}

/** The workflows that a bank says its host serves (R23); null where it says nothing. */
export const bankedWorkflows = (bank: string): ReadonlySet<string> | null => {
  const content = contentOf(bank)
  return "workflows" in content && Array.isArray(content.workflows)
    ? new Set(content.workflows.map(String))
    : null
}
