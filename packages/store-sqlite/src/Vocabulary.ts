/**
 * What this store says of itself, read from its own schema and tables: the words of its CHECK constraints and views, the moves and the
 * codes that lie in it. Nothing here comes from the program's lists: that is what the drift gate compares with them.
 */
import {
  type CodeRow,
  distinctRows,
  heldMove,
  moveWord,
  type VocabularyRow,
  type WordList
} from "@muster/core"
import { Effect } from "effect"
import { ask, type Connection } from "./Statements.ts"
import { jobStates } from "./Words.ts"

/** A column of words kept as numbers, in a table that must refuse others or in a view that spells them. */
interface WordColumn {
  readonly in: string
  readonly column: string
  readonly list: WordList
}

const checked: ReadonlyArray<WordColumn> = [
  { in: "job_state", column: "state", list: "job.state" },
  { in: "tally", column: "state", list: "job.state" },
  { in: "job_state", column: "agent_state", list: "agent.state" },
  { in: "job_state", column: "standing", list: "agent.standing" },
  { in: "job_state", column: "phase", list: "agent.phase" },
  { in: "job_state", column: "disposition", list: "agent.disposition" }
]

const spelled: ReadonlyArray<WordColumn> = [
  { in: "jobs", column: "s.state", list: "job.state" },
  { in: "agents", column: "s.agent_state", list: "agent.state" },
  { in: "agents", column: "s.standing", list: "agent.standing" },
  { in: "agents", column: "s.phase", list: "agent.phase" },
  { in: "agents", column: "s.disposition", list: "agent.disposition" }
]

const unquoted = (literal: string): string => literal.replaceAll("''", "'")
const literal = String.raw`'((?:[^']|'')*)'`

/** Rows for the words of one place; one without a word where it names none. */
const rowsOf = (
  at: Pick<VocabularyRow, "source" | "list" | "place">,
  words: ReadonlyArray<{ readonly word: string; readonly number: number | null }>
): ReadonlyArray<VocabularyRow> =>
  words.length === 0 ? [{ ...at, word: null, number: null }] : words.map((word) => ({ ...at, ...word }))

/** The range is what holds; the words in its comment tell what its numbers stand for. */
const wordsOfCheck = (sql: string, column: string) => {
  const found = new RegExp(String.raw`CHECK \(${column} BETWEEN (\d+) AND (\d+)(?: /\* (.*?) \*/)?\)`).exec(
    sql
  )
  if (found === null) return []
  const [, first = "0", last = "-1", comment = ""] = found
  const names = new Map(
    comment.split(", ").map((entry) => {
      const [number = "", ...word] = entry.split(" ")
      return [Number(number), word.join(" ")]
    })
  )
  return Array.from({ length: Number(last) - Number(first) + 1 }, (_, index) => {
    const number = Number(first) + index
    return { word: names.get(number) ?? `number ${number}`, number }
  })
}

/** The words of `CHECK (column IN ('a', 'b'))`, for columns that keep them as they are. */
const wordsOfList = (sql: string, column: string) => {
  const [, list = ""] = new RegExp(String.raw`CHECK \(${column} IN \(([^)]*)\)\)`).exec(sql) ?? []
  return Array.from(list.matchAll(new RegExp(literal, "g")), ([, word]) => ({
    word: unquoted(word ?? ""),
    number: null
  }))
}

const wordsOfView = (sql: string, column: string) => {
  const [, cases = ""] =
    new RegExp(String.raw`CASE ${column.replace(".", String.raw`\.`)} (WHEN .*?) END`).exec(sql) ?? []
  return Array.from(cases.matchAll(new RegExp(`WHEN (\\d+) THEN ${literal}`, "g")), ([, number, word]) => ({
    word: unquoted(word ?? ""),
    number: Number(number)
  }))
}

/** The moves that the CHECK of table `move` lets in for a subject, as `checkMoves` writes them. */
const movesOfCheck = (sql: string, subject: string) => {
  const [, branch = ""] =
    new RegExp(
      String.raw`CHECK \(CASE subject_kind[\s\S]*?WHEN '${subject}' THEN ([\s\S]*?)(?:WHEN '|ELSE)`
    ).exec(sql) ?? []
  const creations = branch.matchAll(
    new RegExp(String.raw`\(event = ${literal} AND from_state IS NULL AND to_state = ${literal}\)`, "g")
  )
  const edges = branch.matchAll(
    new RegExp(String.raw`\(event, from_state, to_state\) IS \(${literal}, ${literal}, ${literal}\)`, "g")
  )
  return [
    ...Array.from(creations, ([, event = "", to = ""]) => moveWord(unquoted(event), null, unquoted(to))),
    ...Array.from(edges, ([, event = "", from = "", to = ""]) =>
      moveWord(unquoted(event), unquoted(from), unquoted(to))
    )
  ].map((word) => ({ word, number: null }))
}

/** What the texts of tables and views say, by their names. */
const vocabularyOfSchema = (schema: ReadonlyMap<string, string>): ReadonlyArray<VocabularyRow> => {
  const sqlOf = (name: string): string => schema.get(name) ?? ""
  return [
    ...checked.flatMap(({ column, in: table, list }) =>
      rowsOf(
        { source: "constraint", list, place: `CHECK of column ${column}, table ${table}` },
        wordsOfCheck(sqlOf(table), column)
      )
    ),
    ...(["job", "agent"] as const).flatMap((subject) =>
      rowsOf(
        { source: "constraint", list: `${subject}.move`, place: `CHECK for ${subject}s, table move` },
        movesOfCheck(sqlOf("move"), subject)
      )
    ),
    ...rowsOf(
      { source: "constraint", list: "breaker.state", place: "CHECK of column state, table breaker" },
      wordsOfList(sqlOf("breaker"), "state")
    ),
    ...spelled.flatMap(({ column, in: view, list }) =>
      rowsOf(
        { source: "spelling", list, place: `CASE ${column}, view ${view}` },
        wordsOfView(sqlOf(view), column)
      )
    )
  ]
}

/** The moves that were ever made, and the states that jobs are in: both are kept, so that nothing has to be searched. */
const held = Effect.fnUntraced(function* (connection: Connection) {
  const states = yield* ask<{ readonly state: number }>(
    connection,
    `SELECT DISTINCT state FROM tally WHERE count > 0 ORDER BY state`
  )
  const moves = yield* ask<{
    readonly subject_kind: string
    readonly event: string
    readonly from_state: string | null
    readonly to_state: string | null
    readonly transition_reason: string
  }>(
    connection,
    `SELECT subject_kind, event, from_state, to_state, reason AS transition_reason FROM move
    WHERE to_state IS NOT NULL ORDER BY move`
  )
  return [
    ...states.map(({ state }): VocabularyRow => ({
      source: "held",
      list: "job.state",
      place: "table tally",
      word: jobStates.word(state),
      number: null
    })),
    ...moves.flatMap((move) => heldMove("table move", move))
  ]
})

export const vocabulary = Effect.fnUntraced(function* (connection: Connection) {
  const texts = yield* ask<{ readonly name: string; readonly sql: string }>(
    connection,
    `SELECT name, sql FROM sqlite_schema WHERE type IN ('table', 'view') AND sql IS NOT NULL`
  )
  const schema = new Map(texts.map(({ name, sql }) => [name, sql]))
  return distinctRows([...vocabularyOfSchema(schema), ...(yield* held(connection))])
})

export const codes = (connection: Connection) =>
  ask<CodeRow>(
    connection,
    `SELECT error_code AS code, 'events' AS place, count(*) AS count FROM event WHERE error_code IS NOT NULL GROUP BY 1
    UNION ALL SELECT error_code, 'retries', count(*) FROM retry GROUP BY 1
    UNION ALL SELECT failure_error_code, 'letters', count(*) FROM letter GROUP BY 1
    UNION ALL SELECT last_error_code, 'jobs', count(*) FROM job_state WHERE last_error_code IS NOT NULL GROUP BY 1
    ORDER BY code, place`
  )
