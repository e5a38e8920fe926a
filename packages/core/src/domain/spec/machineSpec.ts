/**
 * The first output of the seed: the state machines, from their tables. What is forbidden is what the table doesn't have.
 */
import { AgentMachine } from "../AgentMachine.ts"
import { isOver, JobMachine } from "../JobMachine.ts"
import { LoopMachine } from "../LoopMachine.ts"
import * as Machine from "../Machine.ts"

/** A sentence that must be true of the fleet, with what it comes from. */
export interface SpecInvariant {
  readonly id: string
  readonly sentence: string
  readonly source: string
  /** What verifies it: a checker of the model, or the audit of the store. */
  readonly verified_by: string
}

export interface MachineSpec {
  readonly name: string
  readonly initial: string
  readonly states: ReadonlyArray<{
    readonly name: string
    /** `never` leaves it; `unless_quarantined`: its story is over where the policy asks for no dead letter; `no`: it goes on. */
    readonly terminal: "never_left" | "unless_quarantined" | "no"
    readonly meaning: string
  }>
  readonly creation: { readonly event: string; readonly reasons: ReadonlyArray<string> }
  readonly transitions: ReadonlyArray<{
    readonly from: string
    readonly event: string
    readonly to: string
    readonly reasons: ReadonlyArray<string>
  }>
  /** From each state the states that nothing leads to at once; its own among them unless an edge is a loop. */
  readonly forbidden: ReadonlyArray<{ readonly from: string; readonly to: ReadonlyArray<string> }>
  /** The code of a move that the table doesn't have. */
  readonly illegal_move: string
  /** What else every move is held to. */
  readonly rules: ReadonlyArray<string>
  /** In the order in which a life goes through them. */
  readonly phases: ReadonlyArray<Machine.Phase<string>>
  readonly mermaid: string
}

const terminal = (machine: Machine.Machine, state: string, isAtRest: (state: string) => boolean) =>
  Machine.isFinal(machine, state) ? "never_left" : isAtRest(state) ? "unless_quarantined" : "no"

const recorded = "A move without a reason, an actor and a time is refused by the store."

const specOf = (
  machine: Machine.Machine,
  isAtRest: (state: string) => boolean,
  rules: ReadonlyArray<string>
): MachineSpec => ({
  name: machine.name,
  initial: machine.initial,
  states: Object.entries(Machine.meaningsOf(machine)).map(([name, meaning]) => ({
    name,
    terminal: terminal(machine, name, isAtRest),
    meaning
  })),
  creation: machine.creation,
  transitions: machine.edges.map(({ event, from, reasons, to }) => ({ from, event, to, reasons })),
  forbidden: machine.states.map((from) => {
    const next = new Set(machine.edges.filter((edge) => edge.from === from).map(({ to }) => to))
    return { from, to: machine.states.filter((to) => !next.has(to)) }
  }),
  illegal_move: "ORCH_INVALID_STATE_TRANSITION",
  rules,
  phases: machine.phases ?? [],
  mermaid: Machine.mermaid(machine)
})

const over: ReadonlySet<string> = new Set(JobMachine.states.filter(isOver))

/** Job, agent and loop. */
export const machineSpecs = (): ReadonlyArray<MachineSpec> => [
  specOf(JobMachine, (state) => over.has(state), [
    recorded,
    "A replay leaves no state: it makes a new job, linked to the old one by replay_of."
  ]),
  specOf(AgentMachine, () => false, [
    recorded,
    "Each life of an agent has its incarnation; what an earlier one brings is a note."
  ]),
  specOf(LoopMachine, () => false, ["Its moves stay in memory and metrics; only bank and stop are stored."])
]
