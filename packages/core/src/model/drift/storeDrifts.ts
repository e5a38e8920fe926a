/**
 * The store at hand against the declared tables. `vocabularyDrifts` is what a host may ask at its start: one short query.
 */
import { Effect } from "effect"
import { defaultRows } from "../../domain/DefaultCatalogue.ts"
import type { Catalogue } from "../../domain/ErrorCatalogue.ts"
import { orchErrors } from "../../domain/errors/OrchError.ts"
import { Store } from "../../ports/Store.ts"
import { readCodes, readVocabulary } from "../../ports/StoreVocabulary.ts"
import { codeDrifts } from "./codeDrifts.ts"
import { declaredWords } from "./declaredWords.ts"
import { wordDrifts } from "./wordDrifts.ts"

/** States, events, reasons and the agent's other words. */
export const vocabularyDrifts = Effect.fn("Drift.vocabularyDrifts")(function* () {
  const store = yield* Store
  return wordDrifts(declaredWords(), yield* readVocabulary(), store.name)
})

/**
 * The vocabulary and the codes that were raised. Reads all events.
 *
 * @param catalogue that of the hosts, as far as it is known
 */
export const storeDrifts = Effect.fn("Drift.storeDrifts")(function* (catalogue: Catalogue) {
  const store = yield* Store
  const words = yield* vocabularyDrifts()
  const codes = codeDrifts(
    {
      classes: Object.keys(orchErrors),
      rows: defaultRows.map(({ code }) => code),
      catalogue,
      raised: yield* readCodes()
    },
    store.name
  )
  return [...words, ...codes]
})
