// A seeded fault: one broken function in the world, and the invariant that has to turn red for it.
import type { Agent } from "../../../src/domain/Agent.ts"
import type { Job } from "../../../src/domain/Job.ts"
import type { Change, Draft } from "../../../src/domain/turn/Draft.ts"
import type { WorkflowPolicy } from "../../../src/domain/WorkflowPolicy.ts"
import type { Scene } from "../../../src/model/explore/FleetScenes.ts"
import { type Behaviour, real } from "../../../src/model/world/Behaviour.ts"

export interface Mutant {
  readonly name: string
  /** What it breaks, a sentence. */
  readonly breaks: string
  readonly behaviour: Partial<Behaviour>
  /** The id of the invariant that it turns red. */
  readonly expected: string
  /** What turns red beside it in the same check, since it says the same of another thing; left out: nothing. */
  readonly also?: ReadonlyArray<string>
}

/** One that a search finds. */
export interface SearchedMutant extends Mutant {
  readonly scene: Scene["name"]
  /** What is smaller or larger than in the scene; left out: nothing. */
  readonly bounds?: Partial<Scene["bounds"]>
  /** What its job has not of the scene's; left out: nothing. */
  readonly workflow?: Partial<WorkflowPolicy>
  /** Steps of its trace, at most; left out: as many as are followed in a minute. */
  readonly longest?: number
}

/** A job of which nothing but its work is to be done. */
export const plain = { workspace: false, gates: false, lander: false } as const

/** A job with a lander alone. */
export const lands = { ...plain, lander: true } as const

/** All faults but these. */
export const onlyFaults = (
  ...kept: Scene["bounds"]["without"]
): { readonly without: Scene["bounds"]["without"] } => ({
  without: (
    [
      "crash",
      "crash after a commit",
      "fence",
      "stop",
      "repeat",
      "overdue",
      "hung",
      "doubt",
      "cancel",
      "pause",
      "replay"
    ] as const
  ).filter((fault) => !kept.includes(fault))
})

type Decide = Behaviour["decide"]
type Given = Parameters<Decide>

/** Decides as the fleet does, and then spoils what was decided. */
export const afterwards =
  (spoil: (...given: Given) => void): Decide =>
  (draft, signal, env) => {
    real.decide(draft, signal, env)
    spoil(draft, signal, env)
  }

export const eachChange = (draft: Draft, spoil: (change: Change) => void): void => {
  for (const change of draft.changes.values()) spoil(change)
}

/** Writes another row than was decided, into the memory of its owner as well. */
export const rewrite = (draft: Draft, change: Change, patch: Partial<Job>): void => {
  change.job = { ...change.job, ...patch }
  if (change.job.agent?.owner == null) draft.owned.delete(change.job.seq)
  else draft.owned.set(change.job.seq, change.job)
}

/** The job's agent with other fields. */
export const withAgent = ({ agent }: Job, patch: Partial<Agent>): Pick<Job, "agent"> => ({
  agent: agent === null ? null : { ...agent, ...patch }
})
