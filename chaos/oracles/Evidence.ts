/**
 * What the oracles judge by when a scenario is over: the store, the story of its events, and what agents and landers left on the disk.
 */
import type { StoreService } from "@muster/core"
import type { Effect } from "effect"
import type { History } from "../harness/History.ts"
import type { Submitted } from "../harness/Jobs.ts"

export interface Evidence {
  readonly store: StoreService
  readonly history: History
  /** By job id. */
  readonly submitted: ReadonlyMap<string, Submitted>
  /** Of every job in the store, by its id. */
  readonly workflows: ReadonlyMap<string, string>
  readonly folder: string
  /** The value by which all processes of the stage are known. */
  readonly stage: string
}

export interface Oracle {
  /** The promise, in a few words. */
  readonly name: string
  /** What is wrong; empty when the promise held. */
  readonly judge: (evidence: Evidence) => Effect.Effect<ReadonlyArray<string>>
}

/** The job as the scenario named it. */
export const called = ({ submitted }: Evidence, jobId: string): string => {
  const wanted = submitted.get(jobId)?.wanted
  return wanted === undefined ? jobId : `${jobId} (${wanted.workflow}, ${wanted.name})`
}
