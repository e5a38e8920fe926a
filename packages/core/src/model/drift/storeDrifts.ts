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
import type { Drift } from "./Drift.ts"
import { wordDrifts } from "./wordDrifts.ts"

/** What was compared, and what differs. */
export interface StoreDrifts {
  readonly drifts: ReadonlyArray<Drift>
  /** Words of the store that were looked at, each at its place. */
  readonly words: number
  /** Codes that the store holds; 0 where nobody asked for them. */
  readonly codes: number
}

/** States, events, reasons and the agent's other words. */
export const vocabularyDrifts = Effect.fn("Drift.vocabularyDrifts")(function* () {
  const store = yield* Store
  const rows = yield* readVocabulary()
  const compared: StoreDrifts = {
    drifts: wordDrifts(declaredWords(), rows, store.name),
    words: rows.filter(({ word }) => word !== null).length,
    codes: 0
  }
  return compared
})

/**
 * The vocabulary and the codes that were raised. Reads all events.
 *
 * @param catalogue that of the hosts, as far as it is known
 */
export const storeDrifts = Effect.fn("Drift.storeDrifts")(function* (catalogue: Catalogue) {
  const store = yield* Store
  const words = yield* vocabularyDrifts()
  const raised = yield* readCodes()
  const rows = defaultRows.map(({ code }) => code)
  const codes = codeDrifts({ classes: Object.keys(orchErrors), rows, catalogue, raised }, store.name)
  const compared: StoreDrifts = {
    drifts: [...words.drifts, ...codes],
    words: words.words,
    codes: new Set(raised.map(({ code }) => code)).size
  }
  return compared
})
