/**
 * `muster model drift`: what is declared against the store at hand.
 */
import { type Drift, driftGate, driftLine, ErrorCatalogue, Store, storeDrifts } from "@muster/core"
import * as Effect from "effect/Effect"
import { configured } from "../config/Configured.ts"
import { type DriftJson, driftJson } from "../json/DriftJson.ts"
import { answer } from "../output/Answer.ts"
import { oneLine } from "../output/Text.ts"
import * as StoreFile from "../store/StoreFile.ts"

interface Input {
  readonly mode: "audit" | "block"
}

const counted = (count: number, one: string): string => `${count} ${count === 1 ? one : `${one}s`}`

const drifted = Effect.fnUntraced(function* ({ mode }: Input) {
  const store = yield* Store
  const configuration = yield* configured
  const catalogue = yield* ErrorCatalogue.compile(configuration?.configuration.codes ?? [])
  const found = yield* storeDrifts(catalogue)
  const drifts: ReadonlyArray<Drift> = found.drifts
  const document: DriftJson = {
    mode,
    store: store.name,
    compared: { words: found.words, codes: found.codes, facets: 0, invariants: 0 },
    drifts: drifts.map(driftJson)
  }
  yield* answer(document, ({ style }) =>
    drifts.length > 0
      ? drifts.map((drift) => style.bad(oneLine(driftLine(drift))))
      : [
          `${style.good("No drift")}: ${counted(found.words, "word")} and ${counted(found.codes, "code")} of ${store.name} are as they are declared.`
        ]
  )
  yield* Effect.fromResult(driftGate(mode, store.name, drifts))
})

export const modelDrift = (input: Input) => Effect.provide(drifted(input), StoreFile.layer("read"))
