/**
 * What the memory store says of itself. Its constraints are core's tables, so that it has no list of its own to drift; what it holds
 * is counted as anywhere else.
 */
import { type CodeRow, distinctRows, guardedLists, heldMove, type VocabularyRow } from "@muster/core"
import type { MemoryData } from "./MemoryData.ts"

const all = Number.POSITIVE_INFINITY

const shared: ReadonlyArray<VocabularyRow> = guardedLists.map((list) => ({
  source: "shared",
  list,
  place: "the tables of core",
  word: null,
  number: null
}))

export const vocabularyOf = (data: MemoryData): ReadonlyArray<VocabularyRow> => {
  const states = Array.from(data.counts.values(), (counts) => Array.from(counts.keys())).flat()
  return distinctRows([
    ...shared,
    ...states.map((word): VocabularyRow => ({
      source: "held",
      list: "job.state",
      place: "the counts",
      word,
      number: null
    })),
    ...data.events.page(0, all).flatMap((event) => heldMove("the events", event))
  ])
}

export const codesOf = (data: MemoryData): ReadonlyArray<CodeRow> => {
  const counts = new Map<string, CodeRow>()
  const add = (code: string | null, place: string) => {
    if (code === null) return
    const key = `${code} ${place}`
    counts.set(key, { code, place, count: (counts.get(key)?.count ?? 0) + 1 })
  }
  for (const { error_code } of data.events.page(0, all)) add(error_code, "events")
  for (const { row } of data.retries.page(0, all)) add(row.error_code, "retries")
  for (const { row } of data.letters.page(0, all)) add(row.failure_error_code, "letters")
  for (const { row } of data.jobs.page(0, all)) add(row.last_error_code, "jobs")
  return Array.from(counts, ([key, row]) => ({ key, row }))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ row }) => row)
}
