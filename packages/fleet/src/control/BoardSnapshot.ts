/**
 * What a full-screen board of one host shows, as its socket streams it: everything at one moment. Instants are epoch milliseconds by the host's
 * clock, spans are milliseconds. Lists that may grow are bounded; the counts beside them are exact.
 */
import { AgentMachine, JobMachine, LoopMachine, phases } from "@muster/core"
import { Schema } from "effect"

/** How many rows the bounded lists hold at most. */
export const boardBounds = { retries: 100, holds: 100, lanes: 200, sampled: 500 } as const

/** Null where the agents report none. Cost in US dollars. */
export const BoardSpent = Schema.Struct({
  inputTokens: Schema.NullOr(Schema.Finite),
  outputTokens: Schema.NullOr(Schema.Finite),
  cost: Schema.NullOr(Schema.Finite)
})
export type BoardSpent = typeof BoardSpent.Type

/** A living agent, in order of its incarnation's start. */
export const BoardAgent = Schema.Struct({
  jobId: Schema.String,
  agentId: Schema.String,
  workflow: Schema.String,
  incarnation: Schema.Int,
  /** From 1. */
  attempt: Schema.Int,
  state: Schema.Literals(AgentMachine.states),
  /** Null between phases. */
  phase: Schema.NullOr(Schema.Literals(phases)),
  /** Of the incarnation. */
  startedAt: Schema.Finite,
  phaseSince: Schema.Finite,
  /** The last sign of life: its silence counts from here. */
  lastSeenAt: Schema.Finite,
  /** How long it may be silent, stand still or wait for an answer; null in phases that are not held to it. */
  silenceLimitMillis: Schema.NullOr(Schema.Finite),
  /** When patience with it ends; null as above. */
  silenceAt: Schema.NullOr(Schema.Finite),
  /** What it waits to be answered; null while it asks nothing. */
  question: Schema.NullOr(Schema.String),
  /** Its last line or progress message; empty at first. */
  lastLine: Schema.String,
  /** 0 to 1; null where unknown. */
  fraction: Schema.NullOr(Schema.Finite),
  /** What it has reported of itself in this incarnation. */
  spent: BoardSpent
})
export type BoardAgent = typeof BoardAgent.Type

/** The jobs of one workflow, counted exactly. */
export const BoardWorkflow = Schema.Struct({
  workflow: Schema.String,
  /** Whether this host takes its jobs. */
  served: Schema.Boolean,
  jobs: Schema.Record(Schema.Literals(JobMachine.states), Schema.Int)
})
export type BoardWorkflow = typeof BoardWorkflow.Type

/** PENDING jobs of one workflow and one priority, larger priorities first. */
export const BoardLane = Schema.Struct({
  workflow: Schema.String,
  priority: Schema.Int,
  waiting: Schema.Int,
  /** Since when the one waits that has been due for longest; null when none is due. */
  oldestSince: Schema.NullOr(Schema.Finite),
  /** When the next becomes due of those that aren't; null when all are. */
  nextDueAt: Schema.NullOr(Schema.Finite)
})
export type BoardLane = typeof BoardLane.Type

/** A job that waits to be tried again, the soonest first. */
export const BoardRetry = Schema.Struct({
  jobId: Schema.String,
  workflow: Schema.String,
  dueAt: Schema.Finite,
  /** Burned attempts so far. */
  retryCount: Schema.Int,
  maxRetries: Schema.Int,
  code: Schema.NullOr(Schema.String)
})
export type BoardRetry = typeof BoardRetry.Type

/** A job that is parked until somebody settles it (R28). */
export const BoardHold = Schema.Struct({
  jobId: Schema.String,
  workflow: Schema.String,
  /** The steps of which nobody knows whether they were done. */
  markers: Schema.Array(Schema.String),
  since: Schema.Finite
})
export type BoardHold = typeof BoardHold.Type

/** A storm breaker that holds a workflow's jobs back. */
export const BoardBreaker = Schema.Struct({
  workflowType: Schema.String,
  state: Schema.Literals(["open", "half_open"]),
  openedAt: Schema.Finite,
  probeAt: Schema.Finite,
  failures: Schema.Int
})

/** Since when the store doesn't answer, and what it said. */
export const BoardTrouble = Schema.Struct({
  since: Schema.Finite,
  operation: Schema.String,
  detail: Schema.String
})

export const BoardThroughput = Schema.Struct({
  windowMillis: Schema.Finite,
  landed: Schema.Int,
  /** Attempts that failed, whether or not the job is tried again. */
  failed: Schema.Int
})

export const BoardLoop = Schema.Struct({
  state: Schema.Literals(LoopMachine.states),
  /** Why it moved there. */
  reason: Schema.String,
  /** Turns that it has committed. */
  turns: Schema.Int,
  /** The last snapshot that it has written to the store; null: none yet. */
  bankedAt: Schema.NullOr(Schema.Finite)
})

export const modes = ["running", "paused", "draining", "stopping", "stopped"] as const

export const BoardSnapshot = Schema.Struct({
  /** When it was taken. */
  at: Schema.Finite,
  /** The sequence of the store's last event. */
  sequence: Schema.Int,
  store: Schema.Struct({ id: Schema.String, name: Schema.String }),
  host: Schema.Int,
  /** When this host's fleet started. */
  startedAt: Schema.Finite,
  mode: Schema.Literals(modes),
  slots: Schema.Int,
  used: Schema.Int,
  /** Incarnations that were given up and are alive still; as many as there are slots, and no job is taken (R4). */
  hung: Schema.Int,
  agents: Schema.Array(BoardAgent),
  /** Of all hosts of the store, in the order of their names. */
  workflows: Schema.Array(BoardWorkflow),
  /** By workflow and priority. Counted over the `queueSampled` PENDING jobs that arrived first. */
  queue: Schema.Array(BoardLane),
  /** Less than the PENDING jobs in `workflows`: the lanes leave out those that came later. */
  queueSampled: Schema.Int,
  /** The soonest among the jobs that were looked at; how many there are stands in `workflows`, as RETRY_SCHEDULED. */
  retries: Schema.Array(BoardRetry),
  holds: Schema.Array(BoardHold),
  breakers: Schema.Array(BoardBreaker),
  /** Dead letters that nobody has discarded or replayed. */
  letters: Schema.Int,
  /** What this host has brought to an end within the last `windowMillis`, at most a minute. */
  throughput: BoardThroughput,
  /** What all agents of this host have reported since it started. */
  spent: BoardSpent,
  loop: BoardLoop,
  /** Null: the store answers. */
  trouble: Schema.NullOr(BoardTrouble)
})
export type BoardSnapshot = typeof BoardSnapshot.Type
