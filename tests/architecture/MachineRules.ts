// The tables are honest: what they declare can happen, ends somewhere, and is used by the code that decides.
import { isSource, isTestKit, type Tree } from "./Tree.ts"

/** A state machine as core declares it. */
export interface Table {
  readonly name: string
  readonly initial: string
  readonly states: ReadonlyArray<string>
  readonly final: ReadonlyArray<string>
  readonly creation: { readonly event: string; readonly reasons: ReadonlyArray<string> }
  readonly edges: ReadonlyArray<{
    readonly from: string
    readonly event: string
    readonly to: string
    readonly reasons: ReadonlyArray<string>
  }>
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const isTable = (value: unknown): value is Table =>
  isRecord(value) && ["name", "initial", "states", "final", "creation", "edges"].every((key) => key in value)

/** Every table among the exports of a package, those of its namespaces included. */
export const tablesOf = (exports: object): ReadonlyArray<Table> => {
  const values: ReadonlyArray<unknown> = Object.values(exports)
  const nested = values.flatMap((value) => (isRecord(value) && !isTable(value) ? Object.values(value) : []))
  return Array.from(new Set([...values, ...nested])).filter(isTable)
}

const closure = (
  from: ReadonlyArray<string>,
  next: (state: string) => ReadonlyArray<string>
): Set<string> => {
  const seen = new Set(from)
  for (const state of seen) for (const other of next(state)) seen.add(other)
  return seen
}

const repeated = (texts: ReadonlyArray<string>): ReadonlyArray<string> =>
  texts.filter((text, index) => texts.indexOf(text) !== index)

/** What is wrong with a table by itself. */
export const tableProblems = (table: Table): ReadonlyArray<string> => {
  const { creation, edges, final, initial, states } = table
  const reached = closure([initial], (state) =>
    edges.filter(({ from }) => from === state).map(({ to }) => to)
  )
  const ending = closure(final, (state) => edges.filter(({ to }) => to === state).map(({ from }) => from))
  const known = new Set(states)
  const named = [initial, ...final, ...edges.flatMap(({ from, to }) => [from, to])]
  return [
    ...repeated(states).map((state) => `${state} is declared twice`),
    ...named.filter((state) => !known.has(state)).map((state) => `${state} is no declared state`),
    ...states.filter((state) => !reached.has(state)).map((state) => `${state} can't be reached`),
    ...(final.length === 0 ? ["no state is final"] : []),
    ...states
      .filter((state) => !ending.has(state))
      .map((state) => `nothing leads from ${state} to a final state`),
    ...edges
      .filter(({ from }) => final.includes(from))
      .map(({ event, from }) => `${event} leaves ${from}, a final state`),
    ...repeated(edges.map(({ event, from }) => `${event} from ${from}`)).map(
      (move) => `${move} has two edges`
    ),
    ...[creation, ...edges]
      .filter(({ reasons }) => reasons.length === 0)
      .map(({ event }) => `${event} has no reason`),
    ...[creation, ...edges].flatMap(({ event, reasons }) =>
      repeated(reasons).map((reason) => `${event} has the reason ${reason} twice`)
    )
  ]
}

/** The texts in run-time code outside the tables. */
const textsOf = (tree: Tree): ReadonlySet<string> => {
  const texts = new Set<string>()
  for (const source of tree) {
    if (!isSource(source.path) || isTestKit(source.path) || source.path.endsWith("Machine.ts")) continue
    source.walk({
      Literal: ({ value }) => {
        if (typeof value === "string") texts.add(value)
      }
    })
  }
  return texts
}

/** Events and reasons of the table that no code says, and lifecycle events that its subject can't have. */
export const useProblems = (
  table: Table,
  tree: Tree,
  subjectKinds: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const texts = textsOf(tree)
  const moves = [table.creation, ...table.edges]
  const unused = (names: ReadonlyArray<string>): ReadonlyArray<string> =>
    Array.from(new Set(names)).filter((name) => !texts.has(name))
  return [
    // The creation's event is read from the table by whoever creates a subject.
    ...unused(table.edges.map(({ event }) => event)).map((event) => `no code says the event ${event}`),
    ...unused(moves.flatMap(({ reasons }) => reasons)).map((reason) => `no code gives the reason ${reason}`),
    ...(subjectKinds.includes(table.name)
      ? []
      : [`${table.name} is no kind of subject: its events can't be written`])
  ]
}
