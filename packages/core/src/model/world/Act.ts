/**
 * What may happen in a world, one thing at a time, as data.
 */
import type { ends } from "./Outside.ts"
import type { View } from "./Turns.ts"

export type Act =
  | {
      readonly _tag: "Submit"
      readonly workflowType: string
      readonly payload: string
      readonly priority: number
      readonly maxRetries: number
      readonly delayMillis: number
    }
  /** `again`: the signals that it takes are handed over once more later on. */
  | (View & { readonly _tag: "Turn"; readonly epoch: number; readonly again?: boolean })
  /** Two hosts decide on the same rows, and commit one after the other. */
  | { readonly _tag: "Race"; readonly first: number; readonly second: number; readonly most?: number }
  /** The store is busy: the draft is dropped, and the signals wait for another turn. */
  | { readonly _tag: "Busy"; readonly epoch: number }
  /** The host dies after the commit, before it has carried out a command. */
  | (View & { readonly _tag: "DieAfterCommit"; readonly epoch: number })
  | { readonly _tag: "Finish"; readonly epoch: number; readonly seq: number; readonly outcome: string }
  | {
      readonly _tag: "End"
      readonly epoch: number
      readonly seq: number
      readonly how: (typeof ends)[number]
    }
  | { readonly _tag: "Overdue"; readonly epoch: number; readonly seq: number }
  /** A signal that was taken comes once more. */
  | { readonly _tag: "Repeat"; readonly epoch: number; readonly index: number }
  | { readonly _tag: "Cancel"; readonly job: number }
  /** The work goes on with the step that is to be done once. */
  | {
      readonly _tag: "Step"
      readonly epoch: number
      readonly seq: number
      readonly how: "begin" | "pay" | "tell" | "clear"
    }
  /** An operator says what became of a step that a parked job asks about. */
  | { readonly _tag: "Answer"; readonly job: number }
  /** A host looks at the open cancels, as operators have written them. */
  | { readonly _tag: "Look"; readonly epoch: number }
  /** A host looks at the rows of those that are lost. */
  | { readonly _tag: "Adopt"; readonly epoch: number }
  | { readonly _tag: "Stop"; readonly epoch: number }
  | { readonly _tag: "Crash"; readonly epoch: number }
  /** Another host has taken it for lost; it still runs, and will learn it from its next commit. */
  | { readonly _tag: "Fence"; readonly epoch: number }
  | { readonly _tag: "Enlist"; readonly host: number }
  /** A host that stops has nothing left to do, and says so to the store. */
  | { readonly _tag: "Leave"; readonly epoch: number }
  /** The wait of a job is over: waits are drawn with jitter, so any of them may be the first. */
  | { readonly _tag: "Due"; readonly job: number }
  /** An operator wants all hosts held, or going again. */
  | { readonly _tag: "Pause" | "Resume" }
  /** A caller hands a job in once more. */
  | { readonly _tag: "SubmitAgain"; readonly job: number }
  /** One operator, or two at once, replay a job. */
  | { readonly _tag: "Replay"; readonly job: number; readonly operators: 1 | 2 }
  /** The clock moves, and not always forward. */
  | { readonly _tag: "Wait"; readonly millis: number }
