/**
 * The jobs of a stage, handed in from outside of any host, as `muster submit` does.
 */
import { type JobState, type NewJob, type StoreService } from "@muster/core"
import { Submissions } from "@muster/fleet"
import { Effect, Schedule } from "effect"
import { Digest } from "effect/crypto"
import type { Behaviour, ChaosPayload, WorkflowName } from "../HostProtocol.ts"

export interface Wanted {
  readonly workflow: WorkflowName
  /** Told in what the oracles find. Unique in a stage, unless the same key is meant. */
  readonly name: string
  /** `works` unless set. */
  readonly behaviour?: Behaviour
  /** 20 unless set. */
  readonly millis?: number
  /** 1 unless set. */
  readonly times?: number
  readonly maxRetries?: number
  readonly runAt?: number
  /** Somebody tries to cancel it: it may end so, or land before. */
  readonly mayBeCancelled?: boolean
}

export interface Submitted {
  readonly jobId: string
  readonly wanted: Wanted
  /** How the job may end, however often its hosts are killed; empty: as it comes. */
  readonly expected: ReadonlyArray<JobState>
}

export const payloadOf = ({ behaviour = "works", millis = 20, name, times = 1 }: Wanted): ChaosPayload => ({
  name,
  behaviour,
  millis,
  times
})

const expectedOf = ({ behaviour, mayBeCancelled }: Wanted): ReadonlyArray<JobState> => {
  if (behaviour === "stubborn") return []
  const end = behaviour === "hopeless" ? "DEAD_LETTERED" : "COMPLETED"
  return mayBeCancelled === true ? [end, "CANCELLED"] : [end]
}

/** Stores the jobs in one unit, patiently. */
export const submit = Effect.fnUntraced(function* (store: StoreService, wanted: ReadonlyArray<Wanted>) {
  const now = Date.now()
  const inserts: ReadonlyArray<NewJob> = yield* Effect.forEach(wanted, (one) =>
    Submissions.toNewJob(
      {
        workflowType: one.workflow,
        payload: payloadOf(one),
        idempotencyKey: one.name,
        ...(one.runAt === undefined ? {} : { runAt: one.runAt }),
        ...(one.maxRetries === undefined ? {} : { maxRetries: one.maxRetries })
      },
      { actor: "operator:chaos", now, maxRetries: () => 4 }
    )
  ).pipe(Effect.provide(Digest.layerWebCrypto))
  const { inserted } = yield* store.commit({ fence: null, at: now, inserts }).pipe(
    Effect.retry({
      while: (error) => error._tag === "ORCH_STORE_BUSY",
      schedule: Schedule.spaced("5 millis")
    })
  )
  return wanted.map((one, index): Submitted => ({
    jobId: inserted[index]?.jobId ?? "",
    wanted: one,
    expected: expectedOf(one)
  }))
}, Effect.orDie)
