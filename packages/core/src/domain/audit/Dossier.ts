/**
 * What is read of one job for its audit, beside its events and its retry log, which pass by one after the other.
 */
import type { DeadLetterDraft } from "../DeadLetter.ts"
import type { Job } from "../Job.ts"
import type { Marker } from "../Marker.ts"

/** A job that this one names, or is named by. */
export type Linked = Pick<Job, "seq" | "replayOf" | "supersededBy">

export interface Dossier {
  readonly job: Job
  /** JSON text; null where it is gone. */
  readonly payload: string | null
  /** JSON text; null while there is none. */
  readonly result: string | null
  readonly letter: DeadLetterDraft | null
  readonly markers: ReadonlyArray<Marker>
  /** The job that it replays; null where it replays none, or that one is forgotten. */
  readonly original: Linked | null
  /** The job that has taken over its key; null where none has, or that one is forgotten. */
  readonly successor: Linked | null
  /** The `seq` of the job that its key answers with; null where it answers with none. */
  readonly keyHolder: number | null
}
