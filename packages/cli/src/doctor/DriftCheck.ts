/**
 * Whether the store speaks the declared words (the drift gate tells each difference).
 */
import { type Catalogue, storeDrifts } from "@muster/core"
import * as Effect from "effect/Effect"
import { counted, of } from "./Diagnosis.ts"

const { ok, warn } = of("drift")

export const checkDrift = Effect.fnUntraced(function* (catalogue: Catalogue) {
  const { codes, drifts, words } = yield* storeDrifts(catalogue)
  return drifts.length === 0
    ? [ok(`${counted(words, "word")} and ${counted(codes, "code")} are as they are declared`)]
    : [
        warn(
          `${counted(drifts.length, "difference")} between the store and what is declared`,
          "muster model drift tells each"
        )
      ]
})
