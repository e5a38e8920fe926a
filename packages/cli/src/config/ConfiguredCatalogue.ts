/**
 * The error catalogue of the folder at hand: the default rows with those of its configuration.
 */
import { ErrorCatalogue } from "@muster/core"
import * as Effect from "effect/Effect"
import { configured } from "./Configured.ts"

export const configuredCatalogue = Effect.flatMap(configured, (found) =>
  ErrorCatalogue.compile(found?.configuration.codes ?? [])
)
