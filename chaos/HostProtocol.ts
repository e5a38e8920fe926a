/**
 * What the harness and a host of it say to each other, a JSON document a line: settings in the environment, requests on standard input,
 * news on standard output. And the payload of the jobs that such a host serves.
 */
import type { Submitted } from "@muster/fleet"

/** The variable that holds the settings. */
export const settingsVariable = "CHAOS_HOST"
/** Carried by every process of a stage, agents included, so that none of them is overlooked at its end. */
export const stageVariable = "CHAOS_STAGE"

/** The workflows of a host: a function or a program, with workspace, gate and lander; and a function that has nothing of these. */
export const workflows = ["function", "program", "bare"] as const
export type WorkflowName = (typeof workflows)[number]

/** How the agent of a job carries on. `n` is the payload's `times`. */
export const behaviours = [
  /** Works for `millis`, then has a result. */
  "works",
  /** Fails n times with a retryable code, then works. */
  "flaky",
  /** Fails with a permanent code. */
  "hopeless",
  /** Throws, or kills itself, n times. */
  "crashes",
  /** Says nothing for good, n times. */
  "silent",
  /** Leaves children behind that would live on; they ignore TERM. */
  "forks",
  /** Ignores TERM and interruptions, and never ends by itself. */
  "stubborn",
  /** Its first n results are turned down by the gate. */
  "rejected",
  /** Works until the file `go` is there. */
  "waits",
  /** Writes outside of its workspace, in a step that may be done once. */
  "writes"
] as const
export type Behaviour = (typeof behaviours)[number]

export interface ChaosPayload {
  readonly name: string
  readonly behaviour: Behaviour
  readonly millis: number
  readonly times: number
}

/** A named point of a host's life, and what happens to the host there. */
export interface Fault {
  /** As in `commit.landed:before`; see host/FaultPoints.ts. */
  readonly point: string
  /** At which passing of the point, from 1, counted from the request. */
  readonly nth: number
  readonly signal: "SIGKILL" | "SIGSTOP"
}

export interface HostSettings {
  /** The folder of the stage: where agents, gates and landers leave their lines. */
  readonly folder: string
  readonly store: string
  readonly slots: number
  /** In force from the very start of the process. */
  readonly fault: Fault | null
  /** `silence` of the workflows, in milliseconds. */
  readonly silenceMillis: number
  /** The whole stop, in milliseconds. */
  readonly stopMillis: number
  /** The same for all hosts of a store; renewed five times as often. In milliseconds. */
  readonly leaseMillis: number
}

export type HostRequest =
  | { readonly ask: "fault"; readonly id: number; readonly fault: Fault }
  /** The delay of the event loop since the last such request. */
  | { readonly ask: "delay"; readonly id: number }
  /** The same submission by so many fibers at once. */
  | {
      readonly ask: "submit"
      readonly id: number
      readonly workflow: WorkflowName
      readonly payload: ChaosPayload
      readonly key: string
      readonly fibers: number
    }
  | { readonly ask: "cancel"; readonly id: number; readonly job: string }
  | {
      readonly ask: "settle"
      readonly id: number
      readonly job: string
      readonly outcome: "done" | "not_done"
    }

export type HostNews =
  /** The fleet's layer stands. `millis` since the process was started, here and below; `loaded` of them went by before its first line ran. */
  | { readonly at: "started"; readonly host: number; readonly millis: number; readonly loaded: number }
  /** The first dispatch or recovery is committed. */
  | { readonly at: "dispatched"; readonly millis: number }
  /** The fault point is reached; the signal follows. */
  | { readonly at: "fault"; readonly point: string }
  /** The host came to its end by itself. */
  | { readonly at: "ended"; readonly code: string; readonly message: string }
  | {
      readonly at: "answer"
      readonly id: number
      readonly delay?: { readonly p99: number; readonly max: number }
      readonly submitted?: ReadonlyArray<Pick<Submitted, "jobId" | "state"> & { readonly duplicate: boolean }>
      /** The code of what failed. */
      readonly failed?: string
    }
