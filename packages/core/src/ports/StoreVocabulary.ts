/**
 * The words that a store lives by, as it says itself: what its constraints let in, how it spells what it keeps as numbers, which moves it
 * holds, which codes were raised. The drift gate compares them with the declared tables (seed "Agent-orchestration model").
 */
import { Effect } from "effect"
import { Store } from "./Store.ts"
import { allRows } from "./StorePages.ts"
import type { CodeRow, VocabularyRow } from "./StoreRows.ts"

/** The lists of words that a store may keep: `job.move` are edges with their states, `job.reason` an edge's reasons. */
export const wordLists = [
  "job.state",
  "job.move",
  "job.reason",
  "agent.state",
  "agent.move",
  "agent.reason",
  "agent.standing",
  "agent.phase",
  "agent.disposition",
  "breaker.state"
] as const
export type WordList = (typeof wordLists)[number]

/** Lists whose words a store must not let others in beside: all but the reasons, which it takes as they come. */
export const guardedLists: ReadonlyArray<WordList> = wordLists.filter((list) => !list.endsWith(".reason"))

/** A move as one word: `PENDING --validate--> VALIDATING`; `(nothing) --submit--> PENDING` creates. */
export const moveWord = (event: string, from: string | null, to: string): string =>
  `${from ?? "(nothing)"} --${event}--> ${to}`

/** A move with its reason, as one word: `PENDING --validate--> VALIDATING for slot_free`. */
export const reasonWord = (event: string, from: string | null, to: string, reason: string): string =>
  `${moveWord(event, from, to)} for ${reason}`

/** The rows about one held move: its states, itself and its reason. Notes move nothing and are no rows. */
export const heldMove = (
  place: string,
  move: {
    readonly subject_kind: string
    readonly event: string
    readonly from_state: string | null
    readonly to_state: string | null
    readonly transition_reason: string
  }
): ReadonlyArray<VocabularyRow> => {
  const { event, from_state, subject_kind, to_state, transition_reason } = move
  if (to_state === null) return []
  const row = (list: string, word: string): VocabularyRow => ({
    source: "held",
    list: `${subject_kind}.${list}`,
    place,
    word,
    number: null
  })
  return [
    ...(from_state === null ? [] : [row("state", from_state)]),
    row("state", to_state),
    row("move", moveWord(event, from_state, to_state)),
    row("reason", reasonWord(event, from_state, to_state, transition_reason))
  ]
}

/** Each row once, in the order of its first appearance. */
export const distinctRows = (rows: ReadonlyArray<VocabularyRow>): ReadonlyArray<VocabularyRow> =>
  Array.from(
    new Map(
      rows.map((row) => [`${row.source}\n${row.list}\n${row.place}\n${row.word}\n${row.number}`, row])
    ).values()
  )

/** A whole list as the pages of `records`: a row's cursor is its place. */
export const pageOf = <Row>(
  rows: ReadonlyArray<Row>,
  after: number,
  limit: number
): ReadonlyArray<{ readonly cursor: number; readonly row: Row }> =>
  rows.slice(after, after + limit).map((row, index) => ({ cursor: after + index + 1, row }))

/** The whole vocabulary of the store at hand: one query, since it is short. */
export const readVocabulary = Effect.fn("StoreVocabulary.readVocabulary")(function* () {
  const store = yield* Store
  const records = yield* allRows(
    (after, limit) => store.records({ kind: "vocabulary", job: null, after, limit }),
    ({ cursor }) => cursor
  )
  return records.map(({ row }): VocabularyRow => row)
})

/** Every code that the store holds, with where. Reads the whole store: not for a host's start. */
export const readCodes = Effect.fn("StoreVocabulary.readCodes")(function* () {
  const store = yield* Store
  const records = yield* allRows(
    (after, limit) => store.records({ kind: "codes", job: null, after, limit }),
    ({ cursor }) => cursor
  )
  return records.map(({ row }): CodeRow => row)
})
