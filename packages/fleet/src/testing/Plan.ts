/**
 * All that will happen to a simulated fleet from outside, drawn before it starts: its workflows, its jobs and what each life of their
 * agents does, what goes wrong with the store, and the acts of operators and of the world. Plain data, so that a part can be left out.
 */

/** How a call of a plugin goes. `breaks`: it fails each time; `breaks once`: only the first time. */
export type Answer = "well" | "slow" | "breaks" | "breaks once" | "throws" | "never"

/** How the work of one life ends. */
export type End =
  | { readonly _tag: "Succeed" }
  /** With the result that is no result, or one that the schema refuses. */
  | { readonly _tag: "Empty" }
  | { readonly _tag: "Misfit" }
  | { readonly _tag: "Fail"; readonly code: string; readonly retryAfterMillis: number | null }
  | { readonly _tag: "Die" }
  | { readonly _tag: "InterruptItself" }
  /** Its host dies with it. */
  | { readonly _tag: "KillHost" }
  /** Goes on without a sign of life, or with one now and then, until it is stopped. */
  | { readonly _tag: "Silent" }
  | { readonly _tag: "Endless" }

/** A step that a life does once (R28), and how it goes: it writes outside, unless it fails before. */
export interface StepPlan {
  readonly name: string
  readonly scope: "job" | "attempt"
  readonly millis: number
  /** `fails undone`: it knows that it has written nothing. `never`: it has written, and doesn't come back. */
  readonly how: "well" | "fails undone" | "fails before" | "fails after" | "never"
}

/** What one life of a job's agent does, phase by phase; a phase without a plugin leaves its part unread. */
export interface Life {
  readonly prepare: Answer
  readonly sentinel: Answer
  /** Done first, in order. */
  readonly steps: ReadonlyArray<StepPlan>
  /** How long the rest of the work takes, in milliseconds. */
  readonly workMillis: number
  readonly end: End
  /** It ignores its interruption for so long, in milliseconds; 0: it obeys. */
  readonly resistMillis: number
  /** What it has acquired is released only after so long, in milliseconds. */
  readonly cleanUpMillis: number
  readonly gate: Answer | "rejects"
  readonly land: Answer | "conflicts" | "conflicts once" | "fails after" | "never after"
  /** What the lander says when it is asked whether the order has landed. */
  readonly found: "truth" | "unknown" | "breaks"
  readonly archive: Answer
  readonly remove: Answer | "keeps"
}

export interface WorkflowPlan {
  readonly name: string
  readonly workspace: boolean
  readonly gate: boolean
  readonly lander: boolean
  /** What follows on a step of which nobody knows whether it was done (R28). */
  readonly unknown: "rerun" | "fail" | "ask"
  readonly silenceMillis: number
  readonly workMillis: number
}

export interface JobPlan {
  /** From 1: its payload, by which everybody tells the jobs apart. */
  readonly n: number
  /** Milliseconds after the beginning. */
  readonly at: number
  readonly workflow: string
  readonly priority: number
  readonly maxRetries: number
  /** Its `run_at`, in milliseconds after its submission. */
  readonly delayMillis: number
  /** Its payload doesn't fit the schema. */
  readonly misfit: boolean
  /** Submitted without a host, as a command line does. */
  readonly byOperator: boolean
  /** What its agent does, life by life; what comes after the last goes well. */
  readonly lives: ReadonlyArray<Life>
}

export interface HostPlan {
  readonly slots: number
  readonly stopMillis: number
  readonly drainMillis: number
  /** It serves the first workflow alone. */
  readonly partly: boolean
}

/** Hosts are chosen by `host`, a number modulo those that are up; one that nobody answers to does nothing. */
export type Act = { readonly at: number } & (
  | { readonly _tag: "Start"; readonly host: HostPlan }
  | { readonly _tag: "Stop"; readonly host: number }
  /** `seen`: whoever looks finds its process gone. */
  | { readonly _tag: "Crash"; readonly host: number; readonly seen: boolean }
  | { readonly _tag: "Freeze"; readonly host: number; readonly millis: number }
  /** The whole machine sleeps. */
  | { readonly _tag: "Suspend"; readonly millis: number }
  /** The wall clock is set. */
  | { readonly _tag: "Jump"; readonly millis: number }
  /** Somebody holds the store: every call is answered busy. */
  | { readonly _tag: "Lock"; readonly millis: number }
  /** The medium takes nothing more: commits and renewals fail. */
  | { readonly _tag: "Full"; readonly millis: number }
  | { readonly _tag: "Cancel"; readonly n: number; readonly byOperator: boolean }
  /** The job is submitted again, under its key; with another payload it is a conflict. */
  | { readonly _tag: "Duplicate"; readonly n: number; readonly same: boolean }
  /** The operator says what became of the steps that the fleet asks about. */
  | { readonly _tag: "Settle" }
  | { readonly _tag: "Await"; readonly n: number; readonly host: number }
  | { readonly _tag: "Replay"; readonly n: number; readonly host: number }
  | { readonly _tag: "Pause"; readonly byOperator: boolean }
  | { readonly _tag: "Resume"; readonly byOperator: boolean }
  | { readonly _tag: "Drain"; readonly host: number | null }
  | { readonly _tag: "Scale"; readonly slots: number | null }
  /** Somebody reads the whole store and judges it. */
  | { readonly _tag: "Audit" }
)

/** What goes wrong with single calls of the store, each with this probability. */
export interface StoreTrouble {
  /** A call and its answer take up to so long each, in milliseconds. */
  readonly latencyMillis: number
  readonly busy: number
  /** A commit fails before it has taken effect, or after: then its answer is lost. */
  readonly brokenBefore: number
  readonly brokenAfter: number
}

export interface Plan {
  readonly seed: number
  readonly workflows: readonly [WorkflowPlan, ...ReadonlyArray<WorkflowPlan>]
  /** The first host. */
  readonly host: HostPlan
  readonly jobs: ReadonlyArray<JobPlan>
  readonly acts: ReadonlyArray<Act>
  readonly trouble: StoreTrouble
  /** A signal of an agent comes twice with this probability. */
  readonly repeated: number
  /** Until then things go wrong; afterwards everything must come to its end. */
  readonly calmAt: number
}
