/**
 * What an operator says about a step whose outcome nobody knew (R28), and how a row of intent keeps it.
 */
import { Option, Schema } from "effect"

/** `done`: with its result, as later incarnations get it. `not_done`: the next one does it. `fail`: the job ends here. */
export const settleOutcomes = ["done", "not_done", "fail"] as const

export const Settlement = Schema.Struct({
  /** The name under which the step is kept. */
  marker: Schema.String,
  outcome: Schema.Literals(settleOutcomes),
  /** JSON data; only of `done`, where it is null if left out. */
  result: Schema.optionalKey(Schema.Unknown)
})
export type Settlement = typeof Settlement.Type

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Settlement))

/** The value of an intent of kind `settle`. `askedOf`: the incarnation whose step it speaks of; null: whichever asks. */
export const settlementText = (settlement: Settlement, askedOf: number | null): string =>
  JSON.stringify(askedOf === null ? settlement : { ...settlement, asked_of: askedOf })

const decodeAsked = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Struct({ asked_of: Schema.Int })))

/** The incarnation that an intent's value speaks of; null where it names none. */
export const readAskedOf = (value: string | null): number | null =>
  Option.getOrNull(Option.map(decodeAsked(value), ({ asked_of }) => asked_of))

/** The settlement behind an intent's value; null where it says none. */
export const readSettlement = (value: string | null): Settlement | null => Option.getOrNull(decode(value))
