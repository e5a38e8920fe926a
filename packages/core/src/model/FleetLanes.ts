/** Who acts in a fleet. */
import type { Lane } from "./Lane.ts"

export const fleetLanes = [
  { id: "submitter", sentence: "hands jobs in, from a program or from a command line" },
  { id: "operator", sentence: "cancels, pauses, resumes, drains, scales, settles and replays" },
  { id: "loop", sentence: "decides, commits and carries out for one host, one turn after the other" },
  { id: "other_loop", sentence: "the same for another host of the store, or for a later life of this one" },
  { id: "agent", sentence: "works on one job in one incarnation: its workspace, its runner, its gates" },
  { id: "supervisor", sentence: "starts, watches and interrupts the incarnations of a host" },
  { id: "lander", sentence: "brings a verified result home, into a target that outlives the fleet" },
  { id: "store", sentence: "keeps rows, events and keys, and takes one transaction after the other" },
  { id: "clock", sentence: "lets deadlines, leases and due times pass, and may jump" },
  { id: "computer", sentence: "gives disk, memory and processes, and takes them away" },
  { id: "observer", sentence: "watches what was committed, and can neither veto nor fail" },
  {
    id: "reflection",
    sentence: "holds the fleet against a policy, one facet at a time, and is silent by default"
  }
] as const satisfies ReadonlyArray<Lane>

export type FleetLane = (typeof fleetLanes)[number]["id"]
