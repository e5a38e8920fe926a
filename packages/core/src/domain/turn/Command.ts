/**
 * One thing for the fleet to do after the commit. Every command is implied by the row that was committed with it (R11).
 */
import type { Job } from "../Job.ts"

export type Command =
  /** A new incarnation: acquire the workspace and check it. */
  | { readonly _tag: "Prepare"; readonly job: Job; readonly payload: unknown; readonly payloadJson: string }
  /** A new incarnation without a workspace: start to work. */
  | { readonly _tag: "Begin"; readonly job: Job; readonly payload: unknown; readonly payloadJson: string }
  /** The prepared incarnation starts to work. */
  | { readonly _tag: "Work"; readonly job: Job }
  | { readonly _tag: "Verify"; readonly job: Job; readonly result: string }
  | { readonly _tag: "Land"; readonly job: Job; readonly result: string }
  /** A new incarnation after a landing of which nobody knows whether it happened: ask the lander before anything else. */
  | { readonly _tag: "Reconcile"; readonly job: Job; readonly payload: unknown; readonly payloadJson: string }
  /** Bring artifacts to safety; always before `Clean`. */
  | { readonly _tag: "Archive"; readonly job: Job }
  | { readonly _tag: "Clean"; readonly job: Job }
  /** Stop the incarnation's fiber; its end comes back as `Ended` or `Hung`. */
  | { readonly _tag: "Interrupt"; readonly seq: number; readonly incarnation: number }
  /** Tells the incarnation what became of a marker that it asked for: written, or refused. */
  | {
      readonly _tag: "Acknowledge"
      readonly seq: number
      readonly incarnation: number
      readonly id: number
      readonly accepted: boolean
    }
  /** The agent is tombstoned or has left this host: forget what was kept for it. */
  | { readonly _tag: "Forget"; readonly job: Job }
