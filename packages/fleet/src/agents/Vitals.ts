/**
 * What a living incarnation shows while it works: kept in memory, bounded, never committed (R15).
 */
import {
  type AgentEvent,
  type AgentState,
  defaults,
  type Job,
  type Phase,
  type WorkflowPolicy
} from "@muster/core"

/** One look at a living agent, for boards and snapshots. */
export interface AgentGlimpse {
  readonly jobId: string
  readonly seq: number
  readonly workflowType: string
  readonly state: AgentState
  readonly phase: Phase | null
  readonly incarnation: number
  /** From 1. */
  readonly attempt: number
  /** Epoch ms of the incarnation's start. */
  readonly startedAt: number
  /** Epoch ms of the start of its phase. */
  readonly phaseSince: number
  /** Epoch ms of the last sign of life. */
  readonly lastEventAt: number
  /** When patience with its silence, its standstill or its question ends, epoch ms; null in phases that are not held to it. */
  readonly silenceAt: number | null
  /** How long that patience is in all, in milliseconds; null as above. */
  readonly silenceLimitMillis: number | null
  /** What it waits to be answered; null while it asks nothing. */
  readonly question: string | null
  /** The last line or progress message; empty at first. */
  readonly lastLine: string
  /** 0 to 1; null where unknown. */
  readonly fraction: number | null
  readonly inputTokens: number | null
  readonly outputTokens: number | null
  /** US dollars. */
  readonly cost: number | null
}

const lineLength = 512

/** With what the runtime is patient, since when and until when. */
export interface Patience {
  readonly with: "silence" | "standstill" | "question"
  readonly since: number
  readonly until: number
}

/** Its times are the process's monotonic milliseconds: a wall clock that is set makes nobody silent, and lets nobody be it unseen. */
export class Vitals {
  startedAt: number
  lastEventAt: number
  phase: Phase
  phaseStartedAt: number
  /** An extension or an open tool call allows silence until here; 0 for none. */
  extendedUntil = 0
  openTools = 0
  /** More than a sign of life: heartbeats, and wishes for more time, are none (R35). */
  lastProgressAt: number
  /** What it waits to be answered, and since when; null: nothing. */
  question: string | null = null
  askedAt = 0
  /** Somebody was told of the question. */
  questionTold = false
  /** Markers that wait for the store's answer: meanwhile nobody is silent. */
  waitsForStore = 0
  lastLine = ""
  fraction: number | null = null
  inputTokens: number | null = null
  outputTokens: number | null = null
  cost: number | null = null
  /** An overdue was reported; it is reported once. */
  reported = false

  constructor(now: number, phase: Phase) {
    this.startedAt = now
    this.lastEventAt = now
    this.lastProgressAt = now
    this.phase = phase
    this.phaseStartedAt = now
  }

  /** Enters a phase: its deadline and its silence begin anew. */
  enter(phase: Phase, now: number): void {
    this.phase = phase
    this.phaseStartedAt = now
    this.lastEventAt = now
    this.lastProgressAt = now
    this.extendedUntil = 0
    this.openTools = 0
    this.question = null
    this.reported = false
  }

  /** Takes an event of the agent; any event is life, and most are progress. */
  take(event: AgentEvent, now: number, policy: WorkflowPolicy): void {
    this.lastEventAt = now
    const isProgress = event._tag !== "Heartbeat" && event._tag !== "Extend" && event._tag !== "NeedsInput"
    if (isProgress) this.lastProgressAt = now
    // Whoever goes on has been answered; a line of its log says nothing of that.
    if (isProgress && !(event._tag === "Line" && event.source !== "stdout")) this.question = null
    switch (event._tag) {
      case "Line":
        this.lastLine = event.text.length > lineLength ? event.text.slice(0, lineLength) : event.text
        return
      case "Progress":
        this.lastLine = event.message.slice(0, lineLength)
        this.fraction = event.fraction
        return
      case "Usage":
        this.inputTokens = event.inputTokens ?? this.inputTokens
        this.outputTokens = event.outputTokens ?? this.outputTokens
        this.cost = event.cost ?? this.cost
        return
      case "Extend":
        if (!Number.isNaN(event.millis))
          this.extendedUntil = now + Math.min(Math.max(event.millis, 0), policy.silenceCapMillis)
        return
      case "ToolOpened":
        this.openTools++
        return
      case "ToolClosed":
        this.openTools = Math.max(0, this.openTools - 1)
        return
      case "NeedsInput":
        // A question that is asked again is no new one: its limit is not unbounded.
        if (this.question === null) {
          this.askedAt = now
          this.questionTold = false
        }
        this.question = event.question.slice(0, lineLength)
        this.lastLine = this.question
        return
      case "Heartbeat":
        return
    }
  }

  /** With what patience ends first, and when; null: it has no end, since the agent waits for the store. */
  patience(policy: WorkflowPolicy): Patience | null {
    if (this.waitsForStore > 0) return null
    if (this.question !== null)
      return { with: "question", since: this.askedAt, until: this.askedAt + policy.inputMillis }
    const { progressMillis, silenceCapMillis, silenceMillis } = policy
    const working = this.openTools > 0
    const window = working ? silenceCapMillis : silenceMillis
    const silence = Math.max(this.lastEventAt + window, this.extendedUntil)
    // An open tool call and a wish for more time count here too, up to the hard cap.
    const cap = Math.max(progressMillis, silenceCapMillis)
    const standstill = Math.max(
      this.lastProgressAt + (working ? cap : progressMillis),
      Math.min(this.extendedUntil, this.lastProgressAt + cap)
    )
    // Who gives no sign at all is silent, not stalled.
    return this.lastEventAt > this.lastProgressAt && standstill < silence
      ? { with: "standstill", since: this.lastProgressAt, until: standstill }
      : { with: "silence", since: this.lastEventAt, until: silence }
  }

  /** The suspended machine's lost time is nobody's silence; what has begun since it woke begins at `now` at the latest. */
  shift(millis: number, now: number): void {
    const slept = now - this.lastEventAt >= millis
    this.lastEventAt = Math.min(this.lastEventAt + millis, now)
    this.lastProgressAt = Math.min(this.lastProgressAt + millis, now)
    this.askedAt = Math.min(this.askedAt + millis, now)
    this.phaseStartedAt = Math.min(this.phaseStartedAt + millis, now)
    if (slept && this.extendedUntil > 0) this.extendedUntil += millis
  }

  /** `toInstant`: from the process's monotonic milliseconds, which everything here is in, to epoch ms. */
  glimpse(job: Job, policy: WorkflowPolicy, toInstant: (at: number) => number): AgentGlimpse {
    const patience = this.phase === "work" ? this.patience(policy) : null
    return {
      jobId: job.jobId,
      seq: job.seq,
      workflowType: job.workflowType,
      state: job.agent?.state ?? "dispatched",
      phase: this.phase,
      incarnation: job.agent?.incarnation ?? 1,
      attempt: job.retryCount + 1,
      startedAt: toInstant(this.startedAt),
      phaseSince: toInstant(this.phaseStartedAt),
      lastEventAt: toInstant(this.lastEventAt),
      silenceAt: patience === null ? null : toInstant(patience.until),
      silenceLimitMillis: patience === null ? null : patience.until - patience.since,
      question: this.question,
      lastLine: this.lastLine,
      fraction: this.fraction,
      inputTokens: this.inputTokens,
      outputTokens: this.outputTokens,
      cost: this.cost
    }
  }
}

/** How often the vigil looks at the living agents, in milliseconds. */
export const vigilMillis = Math.min(250, defaults.changedMillis * 2.5)
