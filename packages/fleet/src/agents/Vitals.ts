/**
 * What a living incarnation shows while it works: kept in memory, bounded, never committed (R15).
 */
import { type AgentEvent, defaults, type Job, type Phase, type WorkflowPolicy } from "@muster/core"

/** One look at a living agent, for boards and snapshots. */
export interface AgentGlimpse {
  readonly jobId: string
  readonly seq: number
  readonly workflowType: string
  readonly state: string
  readonly phase: Phase | null
  readonly incarnation: number
  /** From 1. */
  readonly attempt: number
  /** Epoch ms of the incarnation's start. */
  readonly startedAt: number
  /** Epoch ms of the last sign of life. */
  readonly lastEventAt: number
  /** When silence will be assumed, epoch ms; null in phases that are not held to it. */
  readonly silenceAt: number | null
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

export class Vitals {
  startedAt: number
  lastEventAt: number
  phase: Phase
  phaseStartedAt: number
  /** An extension or an open tool call allows silence until here; 0 for none. */
  extendedUntil = 0
  openTools = 0
  waitsForInput = false
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
    this.phase = phase
    this.phaseStartedAt = now
  }

  /** Enters a phase: its deadline and its silence begin anew. */
  enter(phase: Phase, now: number): void {
    this.phase = phase
    this.phaseStartedAt = now
    this.lastEventAt = now
    this.extendedUntil = 0
    this.openTools = 0
    this.reported = false
  }

  /** Takes an event of the agent; any event is life. */
  take(event: AgentEvent, now: number, policy: WorkflowPolicy): void {
    this.lastEventAt = now
    this.waitsForInput = false
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
        this.waitsForInput = true
        this.lastLine = event.question.slice(0, lineLength)
        return
      case "Heartbeat":
        return
    }
  }

  /** When silence will be assumed (epoch ms): the window after the last event, longer while a tool is open or time was asked for. */
  silenceAt(policy: WorkflowPolicy): number {
    const window = this.openTools > 0 || this.waitsForInput ? policy.silenceCapMillis : policy.silenceMillis
    return Math.max(this.lastEventAt + window, this.extendedUntil)
  }

  /** The suspended machine's lost time is nobody's silence; what has begun since it woke begins at `now` at the latest. */
  shift(millis: number, now: number): void {
    const slept = now - this.lastEventAt >= millis
    this.lastEventAt = Math.min(this.lastEventAt + millis, now)
    this.phaseStartedAt = Math.min(this.phaseStartedAt + millis, now)
    if (slept && this.extendedUntil > 0) this.extendedUntil += millis
  }

  glimpse(job: Job, policy: WorkflowPolicy | undefined): AgentGlimpse {
    return {
      jobId: job.jobId,
      seq: job.seq,
      workflowType: job.workflowType,
      state: job.agent?.state ?? "dispatched",
      phase: this.phase,
      incarnation: job.agent?.incarnation ?? 1,
      attempt: job.retryCount + 1,
      startedAt: this.startedAt,
      lastEventAt: this.lastEventAt,
      silenceAt: this.phase === "work" && policy !== undefined ? this.silenceAt(policy) : null,
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
