/**
 * The declared side of the vocabulary: every list of words that a store keeps, straight from the tables.
 */
import { AgentMachine, dispositions, phases, standings } from "../../domain/AgentMachine.ts"
import { breakerStates } from "../../domain/Breaker.ts"
import { JobMachine } from "../../domain/JobMachine.ts"
import type { Machine } from "../../domain/Machine.ts"
import { moveWord, reasonWord, type WordList } from "../../ports/StoreVocabulary.ts"
import type { DriftDimension } from "./Drift.ts"

/** One declared list. */
export interface DeclaredList {
  readonly list: WordList
  readonly dimension: DriftDimension
  /** One of its words is called so. */
  readonly noun: string
  /** Whose words they are, and the file to edit. */
  readonly place: string
  readonly words: ReadonlyArray<string>
  /** A word's place in the list is its number in stores: append only. */
  readonly numbered: boolean
}

const edges = (machine: Machine) => [
  { from: null, to: machine.initial, ...machine.creation },
  ...machine.edges
]

const ofMachine = (subject: "job" | "agent", machine: Machine, file: string): ReadonlyArray<DeclaredList> => {
  const place = `machine ${machine.name} (${file})`
  return [
    {
      list: `${subject}.state`,
      dimension: "states",
      noun: "state",
      place,
      words: machine.states,
      numbered: true
    },
    {
      list: `${subject}.move`,
      dimension: "events",
      noun: "transition",
      place,
      words: edges(machine).map(({ event, from, to }) => moveWord(event, from, to)),
      numbered: false
    },
    {
      list: `${subject}.reason`,
      dimension: "reasons",
      noun: "reason",
      place,
      words: edges(machine).flatMap(({ event, from, reasons, to }) =>
        reasons.map((reason) => reasonWord(event, from, to, reason))
      ),
      numbered: false
    }
  ]
}

const agentFile = "packages/core/src/domain/AgentMachine.ts"

const ofAgent = (name: "standing" | "phase" | "disposition", words: ReadonlyArray<string>): DeclaredList => ({
  list: `agent.${name}`,
  dimension: "words",
  noun: name,
  place: `an agent's row (${agentFile})`,
  words,
  numbered: true
})

/** Every list, of the tables that run the fleet or of others in their place. */
export const declaredWords = (
  machines: { readonly job?: Machine; readonly agent?: Machine } = {}
): ReadonlyArray<DeclaredList> => [
  ...ofMachine("job", machines.job ?? JobMachine, "packages/core/src/domain/JobMachine.ts"),
  ...ofMachine("agent", machines.agent ?? AgentMachine, agentFile),
  ofAgent("standing", standings),
  ofAgent("phase", phases),
  ofAgent("disposition", dispositions),
  {
    list: "breaker.state",
    dimension: "words",
    noun: "state",
    place: "a storm breaker (packages/core/src/domain/Breaker.ts)",
    words: breakerStates,
    numbered: false
  }
]
