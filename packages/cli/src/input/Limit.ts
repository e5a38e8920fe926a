/**
 * How many rows a list shows: what was asked for, else a page for people and everything for machines.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { JsonFlag } from "../GlobalFlags.ts"

/** Rows of a page for people. */
export const jobsForPeople = 50
export const eventsForPeople = 100
export const findingsForPeople = 100
export const linesForPeople = 100

/** Null: all. */
export const rowLimit = Effect.fnUntraced(function* (asked: Option.Option<number>, forPeople: number) {
  return Option.isSome(asked) ? asked.value : (yield* JsonFlag) ? null : forPeople
})
