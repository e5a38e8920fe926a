/**
 * The orchestrator's own loop (seed "Agent-orchestration model"): observe a completion, land it, refill the freed slot, bank
 * state, rest. Its moves stay in memory and metrics; only stop and bank are stored (R13).
 */
import * as Machine from "./Machine.ts"

export const LoopMachine = Machine.make({
  name: "loop",
  initial: "observe",
  states: ["observe", "land", "refill", "bank", "rest", "stopped"],
  final: ["stopped"],
  creation: { event: "start", reasons: ["host_started"] },
  edges: [
    { from: "observe", event: "settle", to: "land", reasons: ["signals_drained"] },
    { from: "land", event: "refill", to: "refill", reasons: ["completions_decided"] },
    { from: "refill", event: "bank", to: "bank", reasons: ["window_lapsed"] },
    { from: "refill", event: "rest", to: "rest", reasons: ["bank_fresh"] },
    { from: "bank", event: "rest", to: "rest", reasons: ["banked"] },
    {
      from: "rest",
      event: "wake",
      to: "observe",
      reasons: ["signal", "due", "store_changed", "runnable_work"]
    },
    { from: "observe", event: "halt", to: "stopped", reasons: ["stop", "fenced"] },
    { from: "land", event: "halt", to: "stopped", reasons: ["stop", "fenced"] },
    { from: "refill", event: "halt", to: "stopped", reasons: ["stop", "fenced"] },
    { from: "bank", event: "halt", to: "stopped", reasons: ["stop", "fenced"] },
    { from: "rest", event: "halt", to: "stopped", reasons: ["stop", "fenced"] }
  ],
  meanings: {
    observe: "takes the signals that wait: completions, silences, due times, requests",
    land: "decides on them: a completion goes on to the definition of done, then to its landing",
    refill: "gives each free slot a due job; one commit ends the turn",
    bank: "writes the snapshot, where the freshness window has lapsed",
    rest: "waits; never beside runnable work and a free slot",
    stopped: "decides nothing any more"
  }
})

export type LoopState = (typeof LoopMachine.states)[number]
export type LoopMove = (typeof LoopMachine.edges)[number]["event"]
