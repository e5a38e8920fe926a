/**
 * What the world runs: the very functions that run the fleet, and the checks that the store's contract demands. A search for faults puts
 * broken ones in their place, one at a time, to see whether it is noticed (core/test/model/mutants).
 */
import type { Agent } from "../../domain/Agent.ts"
import * as Intent from "../../domain/Intent.ts"
import type { Job } from "../../domain/Job.ts"
import * as Replay from "../../domain/Replay.ts"
import { decide } from "../../domain/turn/decide.ts"
import { usedSlots } from "../../domain/turn/move.ts"
import { refill } from "../../domain/turn/refill.ts"

export interface Behaviour {
  readonly decide: typeof decide
  readonly refill: typeof refill
  /** The slots that a turn may fill, once its signals are decided. */
  readonly vacancy: (slots: number, owned: ReadonlyMap<number, Job>) => number
  /** Whether a host with these intents in sight takes jobs. */
  readonly mayClaim: typeof Intent.mayClaim
  /** The store: whether it takes a commit of an epoch that is living, or isn't (R8). */
  readonly admitsEpoch: (living: boolean) => boolean
  /** The store: whether it takes a change that was decided on `expected` where the row stands at `version` (R8). */
  readonly admitsVersion: (version: number, expected: number) => boolean
  /** The store: whether a living owner stands against the write. */
  readonly admitsOwner: (contested: boolean, ownedByWriter: boolean) => boolean
  /** The store: whether the job that holds a key keeps another one from being inserted; `supersedes`: which one that replays (R17). */
  readonly refusesKey: (holder: number, supersedes: number | null) => boolean
  readonly replay: typeof Replay.replay
  readonly replayedNote: typeof Replay.replayedNote
  /** Whether a host adopts from this agent, of which nobody living is the owner. */
  readonly isOwed: (agent: Agent) => boolean
  /** What a landing shows to its target, which refuses a smaller one than it has seen (R27). */
  readonly fencingToken: (incarnation: number, epoch: number) => number
  /** What is left of operators' wishes when a host starts. */
  readonly openAtStart: (intents: ReadonlyArray<Intent.OpenIntent>) => ReadonlyArray<Intent.OpenIntent>
}

export const real: Behaviour = {
  decide,
  refill,
  vacancy: (slots, owned) => slots - usedSlots(owned),
  mayClaim: Intent.mayClaim,
  admitsEpoch: (living) => living,
  admitsVersion: (version, expected) => version === expected,
  admitsOwner: (contested, ownedByWriter) => !contested && ownedByWriter,
  refusesKey: (holder, supersedes) => holder !== supersedes,
  replay: Replay.replay,
  replayedNote: Replay.replayedNote,
  isOwed: ({ owner, standing, state }) => owner !== null || state === "landed" || standing === "closing",
  fencingToken: (incarnation) => incarnation,
  openAtStart: (intents) => intents
}
