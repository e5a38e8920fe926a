/**
 * A short id for one run of many, as a part of keys.
 */
import { Effect, Random } from "effect"

const alphabet = "abcdefghijkmnpqrstuvwxyz23456789"
const length = 8

export const newRunId: Effect.Effect<string> = Effect.map(
  Effect.forEach(Array.from({ length }), () => Random.nextIntBetween(0, alphabet.length - 1)),
  (draws) => draws.map((draw) => alphabet[draw] ?? "").join("")
)
