/**
 * Who types: the actor of every move that a command makes.
 */
import { userInfo } from "node:os"
import * as Effect from "effect/Effect"

const name = (): string => {
  try {
    return userInfo().username
  } catch {
    // a container may run a user id that no password file names
    return `uid-${process.getuid?.() ?? "unknown"}`
  }
}

/** `operator:<user name>`. */
export const operator: Effect.Effect<string> = Effect.sync(() => `operator:${name()}`)
