/**
 * Declared words against a store's, both ways and place by place: what a constraint lets in must be the declared list, what lies in
 * the store must be in it.
 */
import type { VocabularyRow } from "../../ports/StoreRows.ts"
import { guardedLists, type WordList } from "../../ports/StoreVocabulary.ts"
import type { DeclaredList } from "./declaredWords.ts"
import type { Drift, DriftKind } from "./Drift.ts"

/** The rows of one place, and the list that they should be. */
interface Place {
  readonly declared: DeclaredList
  /** `CHECK of column state, table job_state, in fleet.db` */
  readonly live: string
  readonly rows: ReadonlyArray<VocabularyRow>
}

const drift = (
  { declared, live }: Pick<Place, "declared" | "live">,
  kind: DriftKind,
  name: string,
  sentence: string
): Drift => ({
  dimension: declared.dimension,
  kind,
  name,
  declared: declared.place,
  live,
  sentence
})

const counted = (numbered: boolean, number: number | null): string =>
  numbered && number !== null ? `, number ${number},` : ""

/** `PROCESSING --complete--> COMPLETED` in its parts; null for a word that is no move. */
const partsOf = (move: string) => {
  const found = /^(.+) --(.+)--> (\S+)$/.exec(move)
  return found === null ? null : { from: found[1] ?? "", event: found[2] ?? "", to: found[3] ?? "" }
}

const missing = (place: Place, word: string, number: number): Drift => {
  const { noun, numbered, place: source } = place.declared
  return drift(
    place,
    "missing",
    word,
    `declared ${noun} '${word}' of ${source}${counted(numbered, number)} is missing from ${place.live}`
  )
}

const undeclared = (place: Place, { number, source, word }: VocabularyRow): Drift => {
  const { noun, numbered, place: declared } = place.declared
  const verb = source === "held" ? "was written to" : "stands in"
  return drift(
    place,
    "undeclared",
    word ?? "",
    `${noun} '${word}'${counted(numbered, number)} ${verb} ${place.live} and is not declared in ${declared}`
  )
}

/** The same state under another name, or the same edge under another event; null for neither. */
const renamed = (place: Place, word: string, number: number, row: VocabularyRow): Drift | null => {
  const { declared, live } = place
  if (declared.numbered)
    return row.number !== number
      ? null
      : drift(
          place,
          "renamed",
          word,
          `declared ${declared.noun} '${word}' of ${declared.place}, number ${number}, is called '${row.word}' in ${live}`
        )
  const [mine, theirs] = [partsOf(word), partsOf(row.word ?? "")]
  if (mine === null || theirs === null || mine.from !== theirs.from || mine.to !== theirs.to) return null
  return drift(
    place,
    "renamed",
    word,
    `declared event '${mine.event}' of ${declared.place}, from ${mine.from} to ${mine.to}, is called '${theirs.event}' in ${live}`
  )
}

/** Words that both sides have under different numbers: one drift for all, since one insertion shifts the rest. */
const renumbered = (place: Place): ReadonlyArray<Drift> => {
  const { declared, live, rows } = place
  const shifted = rows.filter(({ number, word }) => {
    const index = declared.words.indexOf(word ?? "")
    return index >= 0 && number !== null && index !== number
  })
  const [first] = shifted
  if (first?.word == null) return []
  const more = shifted.length === 1 ? "" : `, and ${shifted.length - 1} more have moved`
  const index = declared.words.indexOf(first.word)
  return [
    drift(
      place,
      "renumbered",
      first.word,
      `declared ${declared.noun} '${first.word}' of ${declared.place} is number ${index}, and number ${first.number} in ${live}${more}: lists of a store are append only`
    )
  ]
}

/** A constraint, or what spells its numbers: both ways. */
const compared = (place: Place): ReadonlyArray<Drift> => {
  const { declared, live, rows } = place
  if (rows.every(({ word }) => word === null))
    return [
      drift(
        place,
        "unguarded",
        declared.list,
        `the ${declared.noun}s of ${declared.place} are guarded by nothing where ${live} should name them: it is not there`
      )
    ]
  const found: Array<Drift> = []
  const extra = new Set(rows.filter(({ word }) => word !== null && !declared.words.includes(word)))
  const known = new Set(rows.map(({ word }) => word))
  for (const [number, word] of declared.words.entries()) {
    if (known.has(word)) continue
    let told = missing(place, word, number)
    for (const row of extra) {
      const same = renamed(place, word, number, row)
      if (same === null) continue
      told = same
      extra.delete(row)
      break
    }
    found.push(told)
  }
  return [
    ...found,
    ...Array.from(extra, (row) => undeclared(place, row)),
    ...(declared.numbered ? renumbered(place) : [])
  ]
}

/** What lies in the store: it may hold fewer words than are declared, never others. */
const held = (place: Place): ReadonlyArray<Drift> =>
  place.rows
    .filter(({ word }) => word !== null && !place.declared.words.includes(word))
    .map((row) => undeclared(place, row))

const placesOf = (
  declared: DeclaredList,
  rows: ReadonlyArray<VocabularyRow>,
  store: string
): ReadonlyArray<Place & { readonly source: string }> =>
  Array.from(
    Map.groupBy(rows, ({ place, source }) => `${source} ${place}`).values(),
    (group): Place & { readonly source: string } => ({
      declared,
      live: `${group[0]?.place}, in ${store}`,
      rows: group,
      source: group[0]?.source ?? ""
    })
  )

/**
 * Every drift between the declared lists and what the store says of itself.
 *
 * @param store its name, for the lines
 */
export const wordDrifts = (
  declared: ReadonlyArray<DeclaredList>,
  rows: ReadonlyArray<VocabularyRow>,
  store: string
): ReadonlyArray<Drift> => {
  const known = new Set<string>(declared.map(({ list }) => list))
  const strangers = new Set(rows.filter(({ list }) => !known.has(list)).map(({ list }) => list))
  const guards = new Set(
    rows.filter(({ source }) => source !== "held" && source !== "spelling").map(({ list }) => list)
  )
  const isGuarded = (list: WordList): boolean => guards.has(list) || !guardedLists.includes(list)
  return [
    ...declared.flatMap((one) => {
      const places = placesOf(
        one,
        rows.filter(({ list }) => list === one.list),
        store
      )
      const unguarded = isGuarded(one.list)
        ? []
        : compared({ declared: one, live: `a constraint of ${store}`, rows: [] })
      return [
        ...unguarded,
        ...places.flatMap((place) =>
          place.source === "shared" ? [] : place.source === "held" ? held(place) : compared(place)
        )
      ]
    }),
    ...Array.from(strangers, (list): Drift => ({
      dimension: "words",
      kind: "undeclared",
      name: list,
      declared: "the lists of words (packages/core/src/ports/StoreVocabulary.ts)",
      live: store,
      sentence: `list '${list}' of ${store} is not declared among the lists of words (packages/core/src/ports/StoreVocabulary.ts)`
    }))
  ]
}

/**
 * Declared states and transitions that the store has never held. To be asked only after a run that visits them all: a fleet that has
 * never failed is no drift.
 */
export const unseenDrifts = (
  declared: ReadonlyArray<DeclaredList>,
  rows: ReadonlyArray<VocabularyRow>,
  store: string
): ReadonlyArray<Drift> =>
  declared
    .filter(({ dimension }) => dimension === "states" || dimension === "events")
    .flatMap((list) => {
      const seen = new Set(
        rows.filter((row) => row.source === "held" && row.list === list.list).map(({ word }) => word)
      )
      return list.words
        .filter((word) => !seen.has(word))
        .map((word) =>
          drift(
            { declared: list, live: store },
            "unseen",
            word,
            `declared ${list.noun} '${word}' of ${list.place} was never seen in ${store}`
          )
        )
    })
