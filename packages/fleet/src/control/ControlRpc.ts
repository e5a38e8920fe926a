/**
 * What a running host answers over its socket: the schemas that server and client share. Errors are the fleet's own, by their codes. Whatever
 * changes something is a durable wish in the store, as it is from any other process; over the socket its host acts at once.
 */
import {
  CancelTooLate,
  ConfigInvalid,
  Delivery,
  EnvelopeInvalid,
  HostFenced,
  HostNotFound,
  JobMachine,
  JobNotFound,
  limits,
  MarkerInvalid,
  PayloadTooLarge,
  PayloadTypeMismatch,
  ReplayContextMissing,
  settleOutcomes,
  Settlement,
  SettleTooLate,
  StoreBroken,
  StoreBusy,
  StoreStale,
  Submission
} from "@muster/core"
import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { BoardSnapshot } from "./BoardSnapshot.ts"
import {
  BreakerShape,
  EventShape,
  GlimpseShape,
  HostShape,
  IntentShape,
  JobShape,
  ReplayedShape,
  SnapshotShape,
  StoredJobShape,
  SubmittedShape
} from "./ControlRows.ts"

/** Raised when a client of an older version would misread what is sent. */
export const protocolVersion = 1

/** What any question may end in: the store, or the end of the host. */
const Store = Schema.Union([StoreBusy, StoreBroken])
const Ended = [StoreBusy, StoreBroken, HostFenced] as const

/** Texts from outside are bounded before anything is done with them. */
const Id = Schema.String.check(Schema.isMaxLength(limits.keyLength))
const Reason = Schema.String.check(Schema.isMaxLength(limits.reasonBytes))
const Sequence = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const Limit = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000 }))
/** How long the caller waits for an outcome; 0: not at all. */
const Wait = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 86_400_000 }))

/** Who wants it, why, and under which id a repetition is known (R24). */
const wish = {
  /** `kind:id`; left out: the host itself, as for a caller in its own process. */
  actor: Schema.optionalKey(Id),
  reason: Schema.optionalKey(Reason),
  requestId: Schema.optionalKey(Id)
}

/** Left out: all hosts of the store. */
const host = { host: Schema.optionalKey(Schema.Int) }

/** A wish about hosts as the store has it, and all that are open beside it. */
export const Wished = Schema.Struct({ row: IntentShape, open: Schema.Array(IntentShape) })
export type Wished = typeof Wished.Type

/** Who answers. */
export const Greeting = Schema.Struct({
  protocol: Schema.Int,
  host: Schema.Int,
  pid: Schema.Int,
  store: Schema.Struct({ id: Schema.String, name: Schema.String })
})
export type Greeting = typeof Greeting.Type

/** How the fleet stands, live on this host, with the rows of the store from which `muster status` is made. */
export const Standing = Schema.Struct({
  snapshot: SnapshotShape,
  hosts: Schema.Array(Schema.Struct({ row: HostShape, usedSlots: Schema.Int })),
  open: Schema.Array(IntentShape),
  breakers: Schema.Array(BreakerShape),
  banks: Schema.Array(Schema.Struct({ host: Schema.Int, at: Schema.Finite, bank: Schema.String }))
})
export type Standing = typeof Standing.Type

/** A line of a living agent. */
export const LogLine = Schema.Struct({
  /** Of the agent's lines, from 1. A jump: those between were dropped, since the reader was slower than the agent. */
  number: Schema.Int,
  /** Epoch ms. */
  at: Schema.Finite,
  incarnation: Schema.Int,
  /** `progress`: what a progress line said. */
  source: Schema.Literals(["stdout", "stderr", "log", "progress"]),
  text: Schema.String
})
export type LogLine = typeof LogLine.Type

/** What came of a cancel or of a settlement. */
const outcomeOf = <const Done extends string>(done: Done) =>
  Schema.Struct({
    jobId: Schema.String,
    state: Schema.Literals(JobMachine.states),
    /** `requested`: recorded and in force, but nobody has carried it out within the time that the caller waits. */
    outcome: Schema.Literals([done, "requested"]),
    intent: Schema.Int,
    settlement: Schema.NullOr(Settlement)
  })
export const Cancelled = outcomeOf("cancelled")
export type Cancelled = typeof Cancelled.Type
export const Settled = outcomeOf("settled")
export type Settled = typeof Settled.Type

export class ControlRpc extends RpcGroup.make(
  Rpc.make("Hello", { success: Greeting }),
  Rpc.make("Status", { success: Standing, error: Store }),
  /** What the host's process has counted and timed, in the text format of Prometheus. */
  Rpc.make("Metrics", { success: Schema.String }),
  Rpc.make("Agents", { success: Schema.Array(GlimpseShape) }),
  /** A page in ascending number, without bodies. */
  Rpc.make("Jobs", {
    payload: {
      state: Schema.NullOr(Schema.Literals(JobMachine.states)),
      workflow: Schema.NullOr(Id),
      after: Sequence,
      limit: Limit
    },
    success: Schema.Array(JobShape),
    error: Store
  }),
  /** One job with its bodies. */
  Rpc.make("Job", {
    payload: { jobId: Id },
    success: StoredJobShape,
    error: Schema.Union([StoreBusy, StoreBroken, JobNotFound])
  }),
  /** The events after `after` (0: from the start; left out: from now on), then those to come: none is left out, whoever wrote it. */
  Rpc.make("Events", {
    payload: { after: Schema.optionalKey(Sequence), jobId: Schema.optionalKey(Id) },
    success: EventShape,
    error: Schema.Union([StoreBusy, StoreBroken, JobNotFound]),
    stream: true
  }),
  /** The last lines of a job's living agent, then those to come; ends with the agent, and at once where none lives here. */
  Rpc.make("Lines", {
    payload: { jobId: Id },
    success: LogLine,
    error: Schema.Union([StoreBusy, StoreBroken, JobNotFound]),
    stream: true
  }),
  /** Snapshots for a full-screen board, at most one each `everyMillis`. Who reads slowly gets fewer, and always the newest. */
  Rpc.make("Watch", {
    payload: { everyMillis: Schema.Int.check(Schema.isBetween({ minimum: 100, maximum: 60_000 })) },
    success: BoardSnapshot,
    error: Store,
    stream: true
  }),
  /** One answer a submission, in order. */
  Rpc.make("Submit", {
    payload: {
      submissions: Schema.Array(Schema.toType(Submission)).check(Schema.isMaxLength(1_000)),
      actor: Schema.optionalKey(Id)
    },
    success: Schema.Array(SubmittedShape),
    error: Schema.Union([...Ended, PayloadTooLarge, PayloadTypeMismatch])
  }),
  Rpc.make("Cancel", {
    payload: { jobId: Id, waitMillis: Wait, ...wish },
    success: Cancelled,
    error: Schema.Union([...Ended, CancelTooLate, JobNotFound])
  }),
  Rpc.make("Settle", {
    payload: {
      jobId: Id,
      waitMillis: Wait,
      marker: Schema.optionalKey(Id),
      outcome: Schema.Literals(settleOutcomes),
      result: Schema.optionalKey(Schema.Unknown),
      ...wish
    },
    success: Settled,
    error: Schema.Union([...Ended, SettleTooLate, MarkerInvalid, JobNotFound])
  }),
  Rpc.make("Pause", { payload: wish, success: Wished, error: Schema.Union(Ended) }),
  Rpc.make("Resume", { payload: wish, success: Wished, error: Schema.Union(Ended) }),
  /** `wait`: answers when nothing runs any more; else as soon as the wish is recorded. */
  Rpc.make("Drain", {
    payload: { wait: Schema.Boolean, ...host, ...wish },
    success: Wished,
    error: Schema.Union([...Ended, HostNotFound])
  }),
  /** Null: as many as each host was started with. */
  Rpc.make("Scale", {
    payload: { slots: Schema.NullOr(Schema.Int), ...host, ...wish },
    success: Wished,
    error: Schema.Union([...Ended, ConfigInvalid, HostNotFound])
  }),
  /** A message to an agent that lives on this host. `from`: `kind:id` of who says it. What is said is held to the contract by the host. */
  Rpc.make("Tell", {
    payload: {
      agent: Id,
      from: Id,
      messageType: Id,
      schemaVersion: Schema.optionalKey(Schema.Int),
      payload: Schema.Unknown,
      correlationId: Schema.optionalKey(Id),
      causationId: Schema.optionalKey(Id),
      priority: Schema.optionalKey(Schema.Int),
      idempotencyKey: Schema.optionalKey(Id)
    },
    success: Delivery,
    error: Schema.Union([StoreBroken, HostFenced, EnvelopeInvalid, PayloadTypeMismatch, PayloadTooLarge])
  }),
  /** `fresh`: the new job reads no finished marker of those before it. */
  Rpc.make("Replay", {
    payload: {
      jobId: Id,
      fresh: Schema.Boolean,
      actor: Schema.optionalKey(Id),
      reason: Schema.optionalKey(Reason)
    },
    success: ReplayedShape,
    error: Schema.Union([...Ended, ReplayContextMissing, JobNotFound, StoreStale])
  })
) {}
