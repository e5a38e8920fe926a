/**
 * The shapes that cross the socket, as the fleet itself has them: jobs, events, glimpses, and the rows of intents, hosts, banks and breakers.
 */
import {
  type Agent,
  AgentMachine,
  type BreakerRow,
  dispositions,
  type HostRow,
  type IntentRow,
  type Job,
  JobMachine,
  type LifecycleEvent,
  phases,
  standings,
  type StoredJob,
  subjectKinds,
  type TallyRows
} from "@muster/core"
import { Schema } from "effect"
import type { AgentGlimpse } from "../agents/Vitals.ts"
import type { FleetSnapshot, Submitted } from "../Fleet.ts"
import type { Replayed } from "../jobs/Replays.ts"
import { BoardBreaker, BoardLoop, BoardSpent, BoardThroughput, BoardTrouble, modes } from "./BoardSnapshot.ts"

const Text = Schema.NullOr(Schema.String)
const Amount = Schema.NullOr(Schema.Finite)
const Whole = Schema.NullOr(Schema.Int)

const AgentShape: Schema.Codec<Agent> = Schema.Struct({
  state: Schema.Literals(AgentMachine.states),
  incarnation: Schema.Int,
  owner: Schema.NullOr(Schema.Struct({ host: Schema.Int, epoch: Schema.Int })),
  standing: Schema.NullOr(Schema.Literals(standings)),
  phase: Schema.NullOr(Schema.Literals(phases)),
  hung: Schema.Boolean,
  restarts: Schema.Array(Schema.Finite),
  steps: Schema.Array(Schema.String),
  workspace: Text,
  disposition: Schema.NullOr(Schema.Literals(dispositions))
})

export const JobShape: Schema.Codec<Job> = Schema.Struct({
  seq: Schema.Int,
  jobId: Schema.String,
  version: Schema.Int,
  workflowType: Schema.String,
  idempotencyKey: Schema.String,
  payloadFingerprint: Schema.String,
  state: Schema.Literals(JobMachine.states),
  priority: Schema.Int,
  runAt: Schema.Finite,
  createdAt: Schema.Finite,
  updatedAt: Schema.Finite,
  retryCount: Schema.Int,
  maxRetries: Schema.Int,
  lastErrorCode: Text,
  correlationId: Schema.String,
  traceContext: Text,
  replayOf: Whole,
  supersededBy: Whole,
  hold: Text,
  agent: Schema.NullOr(AgentShape)
})

export const StoredJobShape: Schema.Codec<StoredJob> = Schema.Struct({
  job: JobShape,
  payload: Text,
  result: Text
})

export const EventShape: Schema.Codec<LifecycleEvent> = Schema.Struct({
  sequence: Schema.Int,
  eventId: Schema.String,
  jobId: Text,
  correlationId: Text,
  subjectKind: Schema.Literals(subjectKinds),
  event: Schema.String,
  fromState: Text,
  toState: Text,
  transitionReason: Schema.String,
  errorCode: Text,
  actor: Schema.String,
  occurredAt: Schema.Finite,
  incarnation: Schema.Int,
  detail: Text
})

export const GlimpseShape: Schema.Codec<AgentGlimpse> = Schema.Struct({
  jobId: Schema.String,
  seq: Schema.Int,
  workflowType: Schema.String,
  state: Schema.Literals(AgentMachine.states),
  phase: Schema.NullOr(Schema.Literals(phases)),
  incarnation: Schema.Int,
  attempt: Schema.Int,
  startedAt: Schema.Finite,
  phaseSince: Schema.Finite,
  lastEventAt: Schema.Finite,
  silenceAt: Amount,
  silenceLimitMillis: Amount,
  question: Text,
  lastLine: Schema.String,
  fraction: Amount,
  inputTokens: Amount,
  outputTokens: Amount,
  cost: Amount
})

export const IntentShape: Schema.Codec<IntentRow> = Schema.Struct({
  intent: Schema.Int,
  kind: Schema.String,
  job: Whole,
  host: Whole,
  value: Text,
  reason: Schema.String,
  actor: Schema.String,
  requested_at: Schema.Finite,
  request_id: Text,
  settled_at: Amount,
  outcome: Text
})

export const HostShape: Schema.Codec<HostRow> = Schema.Struct({
  host: Schema.Int,
  epoch: Schema.Int,
  turn: Schema.Int,
  beat: Schema.Int,
  beat_at: Schema.Finite,
  enlisted_at: Schema.Finite,
  state: Schema.String,
  identity: Schema.String
})

export const BreakerShape: Schema.Codec<BreakerRow> = Schema.Struct({
  workflow_type: Schema.String,
  state: Schema.String,
  opened_at: Amount,
  probe_at: Amount,
  failures: Schema.Int,
  at: Schema.Finite
})

const TallyShape: Schema.Codec<TallyRows> = Schema.Struct({
  jobs: Schema.Array(
    Schema.Struct({ workflow_type: Schema.String, state: Schema.String, count: Schema.Int })
  ),
  oldest_ready: Amount,
  sequence: Schema.Int,
  letters: Schema.Int,
  parked: Schema.Int,
  messages: Schema.Int,
  bytes: Amount
})

export const SnapshotShape: Schema.Codec<FleetSnapshot> = Schema.Struct({
  host: Schema.Int,
  mode: Schema.Literals(modes),
  slots: Schema.Int,
  usedSlots: Schema.Int,
  hung: Schema.Int,
  workflows: Schema.Array(Schema.String),
  startedAt: Schema.Finite,
  loop: BoardLoop,
  throughput: BoardThroughput,
  spent: BoardSpent,
  breakers: Schema.Array(BoardBreaker),
  trouble: Schema.NullOr(BoardTrouble),
  agents: Schema.Array(GlimpseShape),
  tally: TallyShape
})

export const SubmittedShape: Schema.Codec<Submitted> = Schema.Struct({
  _tag: Schema.Literals(["Inserted", "Duplicate", "Conflict"]),
  jobId: Schema.String,
  state: Schema.Literals(JobMachine.states),
  runAt: Schema.Finite
})

export const ReplayedShape: Schema.Codec<Replayed> = Schema.Struct({
  jobId: Schema.String,
  replayOf: Schema.String,
  duplicate: Schema.Boolean
})
