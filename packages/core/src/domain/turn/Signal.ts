/**
 * What the loop observes. A signal is a hint to look: the durable value is read at the turn (R11). Those of an incarnation carry its
 * number, and a stale one is refused and noted.
 */
import type { WorkspaceFate } from "../Agent.ts"
import type { Phase } from "../AgentMachine.ts"
import type { Failure } from "../Failure.ts"
import type { IntentEnd } from "../Intent.ts"
import type { Job } from "../Job.ts"
import type { Reflected } from "../reflection/Outcome.ts"
import type { Settlement } from "../Settlement.ts"
import type { DamagedJob } from "./damaged.ts"

/** Which life of which job's agent speaks. */
interface FromIncarnation {
  readonly seq: number
  readonly incarnation: number
}

/** Who may cancel a job (R29): nobody else, and no failure path. */
export type CancelReason = "operator" | "caller" | "parent" | "shutdown_policy"

export type Signal =
  /** The workspace stands and the sentinel passed. */
  | (FromIncarnation & { readonly _tag: "Prepared"; readonly workspace: string })
  | (FromIncarnation & {
      readonly _tag: "PrepareFailed"
      readonly phase: "prepare" | "sentinel"
      readonly failure: Failure
      /** The reference of a workspace that was made before the failure; null where there is none. */
      readonly workspace: string | null
    })
  /** The work ended well and its finalisers are done; `result` is encoded, JSON text. */
  | (FromIncarnation & {
      readonly _tag: "Worked"
      readonly result: string
      /** An earlier incarnation has done it, whose gates were interrupted (R5); left out: this one. */
      readonly recalled?: boolean
    })
  /** The work failed and its finalisers are done. */
  | (FromIncarnation & { readonly _tag: "WorkFailed"; readonly failure: Failure })
  /** The agent begins a step of its work, which waits until this is durable; `id` names the asker in this incarnation (R28). */
  | (FromIncarnation & {
      readonly _tag: "MarkerStarted"
      readonly id: number
      readonly name: string
      /** A job that this one replays has started the step, and nobody knows whether it was done (R31). */
      readonly doubtful: boolean
    })
  /** The step is done; `result` is JSON text. Null: it is known not to have been done. */
  | (FromIncarnation & {
      readonly _tag: "MarkerFinished"
      readonly id: number
      readonly name: string
      readonly result: string | null
    })
  | (FromIncarnation & { readonly _tag: "Verified"; readonly result: string })
  /** A gate said no, or has broken as often as it may. */
  | (FromIncarnation & { readonly _tag: "VerifyFailed"; readonly failure: Failure })
  | (FromIncarnation & {
      readonly _tag: "LandingDone"
      readonly result: string
      readonly reference: string | null
    })
  /** The lander met a conflict twice; its target is untouched. */
  | (FromIncarnation & { readonly _tag: "LandingRejected"; readonly failure: Failure })
  /** The lander knows that the order has not landed: after a landing of which nobody knew. */
  | (FromIncarnation & { readonly _tag: "LandingAbsent"; readonly result: string })
  /** Nobody can tell whether the landing happened. */
  | (FromIncarnation & { readonly _tag: "LandingUnknown"; readonly failure: Failure })
  /** The phase ran into silence or its deadline; its fiber still lives. */
  | (FromIncarnation & {
      readonly _tag: "Overdue"
      readonly why: "stream_silence" | "stalled" | "input_required" | "deadline_exceeded"
      /** The phase that is overdue: it may have ended in the meantime, and then nothing is overdue. */
      readonly phase: Phase
      readonly failure: Failure
    })
  /**
   * An interrupted fiber's finalisers are done (`Ended`), or were not done in time: the incarnation is given up (`Hung`, R4).
   * `workspace` as the fiber knew it: it may have made one that no commit has seen. Null or left out: none.
   */
  | (FromIncarnation & { readonly _tag: "Ended" | "Hung"; readonly workspace?: string | null })
  | (FromIncarnation & { readonly _tag: "Archived"; readonly artifacts: ReadonlyArray<string> })
  | (FromIncarnation & { readonly _tag: "Cleaned"; readonly fate: WorkspaceFate })
  /** An operator or a caller wants the job cancelled; `job` is its row as it stands in the store now. */
  | {
      readonly _tag: "CancelWanted"
      readonly job: Job
      readonly reason: CancelReason
      readonly actor: string
      /** Why, in the words of who asked; null or left out: nothing said. */
      readonly text?: string | null
      /** The row of intent that asks for it. */
      readonly intent: number
    }
  /** Open intents about hosts that have come to their end; `whenIdle`: if this host still runs nothing when it decides. */
  | {
      readonly _tag: "IntentsEnded"
      readonly settled: ReadonlyArray<IntentEnd>
      readonly whenIdle: ReadonlyArray<IntentEnd>
    }
  /** An operator says what became of a step whose outcome nobody knew (R28); `job` as for a cancel. */
  | {
      readonly _tag: "SettleWanted"
      readonly job: Job
      readonly settlement: Settlement
      /** The incarnation whose step it speaks of; null or left out: whichever asks now. */
      readonly askedOf?: number | null
      readonly actor: string
      /** Why, in their words; null: nothing said. */
      readonly text: string | null
      readonly intent: number
    }
  /** A row that an ended epoch still owns. */
  | { readonly _tag: "Orphaned"; readonly job: Job }
  /** A row that nobody living owns and that can't be decoded (R18). */
  | { readonly _tag: "Damaged"; readonly damaged: DamagedJob }
  /** A facet has said something of the fleet. */
  | { readonly _tag: "Reflected"; readonly reflected: Reflected }
  /** The host stops: hand everything back (attempts unburnt). */
  | { readonly _tag: "Stopping" }
