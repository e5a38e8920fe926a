/**
 * How many rows a list shows: what was asked for, else a page for people and everything for machines.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { JsonFlag } from "../GlobalFlags.ts"
import { UsageError } from "../UsageError.ts"

/** Null: all. */
export const rowLimit = Effect.fnUntraced(function* (asked: Option.Option<number>, forPeople: number) {
  if (Option.isNone(asked)) return (yield* JsonFlag) ? null : forPeople
  if (asked.value < 1) return yield* new UsageError({ message: "--limit must be 1 or more.", hint: "" })
  return asked.value
})

/** A cursor: 0 from the start. */
export const cursorFrom = Effect.fnUntraced(function* (asked: number) {
  return asked < 0 ? yield* new UsageError({ message: "--after must be 0 or more.", hint: "" }) : asked
})
