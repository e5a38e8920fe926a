/**
 * Words as small integers: a state's number is its place in the machine's table (append only). From the same lists come the CHECK
 * constraints, so that a word which no table has is refused by the store itself, whoever writes it.
 */
import { AgentMachine, dispositions, JobMachine, type Machine, phases, standings } from "@muster/core"

/** A closed list of words and their numbers. */
export interface Words {
  readonly all: ReadonlyArray<string>
  /** The word's number; `unknownWord`, which every CHECK refuses, for a word that the list doesn't have; null for null. */
  readonly number: (word: string | null) => number | null
  /** The word behind a number from the store. */
  readonly word: (number: number | null) => string | null
}

/** No word has this number. */
export const unknownWord = -1

const words = (all: ReadonlyArray<string>): Words => {
  const numbers = new Map(all.map((word, number) => [word, number]))
  return {
    all,
    number: (word) => (word === null ? null : (numbers.get(word) ?? unknownWord)),
    word: (number) => (number === null ? null : (all[number] ?? `unknown ${number}`))
  }
}

export const jobStates = words(JobMachine.states)
export const agentStates = words(AgentMachine.states)
export const agentStandings = words(standings)
export const agentPhases = words(phases)
export const agentDispositions = words(dispositions)

/** An SQL text literal. */
const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** `CHECK (column BETWEEN 0 AND 3 /* 0 a, 1 b, ... *\/)`: a NULL passes, as in every CHECK. */
export const checkWords = (column: string, { all }: Words): string =>
  `CHECK (${column} BETWEEN 0 AND ${all.length - 1} /* ${all.map((word, number) => `${number} ${word}`).join(", ")} */)`

/** The words as an SQL expression, for the views: `CASE column WHEN 0 THEN 'a' ... END`. */
export const spelt = (column: string, { all }: Words): string =>
  `CASE ${column} ${all.map((word, number) => `WHEN ${number} THEN ${literal(word)}`).join(" ")} END`

/** The numbers of some words, as an SQL list: `(4, 5)`. */
export const numbersOf = (list: Words, some: ReadonlyArray<string>): string =>
  `(${some.map((word) => list.number(word)).join(", ")})`

/**
 * The moves of a machine as an SQL condition over `event`, `from_state` and `to_state`: one line an edge, its creation first. `IS` and not
 * `=`, which is NULL where a state is, and a NULL passes a CHECK.
 */
export const checkMoves = (machine: Machine.Machine): string =>
  [
    `(event = ${literal(machine.creation.event)} AND from_state IS NULL AND to_state = ${literal(machine.initial)})`,
    ...machine.edges.map(
      ({ event, from, to }) =>
        `(event, from_state, to_state) IS (${literal(event)}, ${literal(from)}, ${literal(to)})`
    )
  ].join("\n      OR ")
