/**
 * The chains of one job and of its agent, event by event: held to the tables, to each other, to the retry log and to the row (law 2, R12).
 */
import { agentId } from "../Agent.ts"
import { AgentMachine } from "../AgentMachine.ts"
import type { Job } from "../Job.ts"
import { JobMachine } from "../JobMachine.ts"
import type { LifecycleEvent } from "../LifecycleEvent.ts"
import * as Machine from "../Machine.ts"
import type { AuditRuleId } from "./AuditRule.ts"
import { checkBare, isInstant, isNote } from "./eventRecord.ts"
import type { Findings } from "./Finding.ts"
import type { LoggedRetry, RetryLedger } from "./RetryLedger.ts"

/** Reasons for which a job is handed back, or parked by a life that has done nothing wrong: no row of the retry log is owed (R2, R28). */
const handBacks: ReadonlySet<string> = new Set(["host_lost", "host_shutdown", "outcome_unknown"])

/** Reasons for which a job leaves its wait only to end: nothing starts, so nothing starts early (R18, R28). */
const endings: ReadonlySet<string> = new Set(["outcome_unknown", "invariant_broken"])

/** Where one subject's walk through its table stands. */
interface Walk {
  readonly machine: Machine.Machine
  readonly subject: string
  state: string | null
  at: number
  incarnation: number
  moves: number
}

const walk = (machine: Machine.Machine, subject: string): Walk => ({
  machine,
  subject,
  state: null,
  at: 0,
  incarnation: 0,
  moves: 0
})

const said = ({ event, sequence }: LifecycleEvent): string => `${event} (${sequence})`

export class EventChain {
  /** Events and notes that were walked, and those of them up to the bound. */
  count = 0
  countAtBound = 0
  /** The job's state by its chain at the bound; null when it was created later. */
  stateAtBound: string | null = null
  /** The reason with which the job failed; null where it didn't. */
  failReason: string | null = null
  /** Moves to COMPLETED. */
  completions = 0
  private sequence = 0
  private landings = 0
  private logged = 0
  private handedBack = 0
  private due: LoggedRetry | null = null
  /** A start before the retry was due, in words; told when it turns out to be a start. */
  private early: string | null = null
  private readonly unpaired: Array<readonly [AuditRuleId, string]> = []
  private readonly job: Walk
  private readonly agent: Walk
  private readonly row: Job
  private readonly retries: RetryLedger
  private readonly bound: number
  private readonly found: Findings

  /**
   * @param retries the job's whole retry log
   * @param bound the sequence up to which events are counted
   */
  constructor(row: Job, retries: RetryLedger, bound: number, found: Findings) {
    this.row = row
    this.retries = retries
    this.bound = bound
    this.found = found
    this.job = walk(JobMachine, `job:${row.jobId}`)
    this.agent = walk(AgentMachine, agentId(row.jobId))
  }

  /** The next event of the job, in the order of the store. */
  add(event: LifecycleEvent): void {
    this.count++
    checkBare(event, this.found)
    if (event.sequence <= this.sequence)
      this.found.add("chain-order", this.job.subject, `${said(event)} comes after ${this.sequence}`)
    this.sequence = event.sequence
    const isBound = event.sequence <= this.bound
    if (isBound) this.countAtBound++
    if (isNote(event)) {
      // An operator has said what became of the step that the job was parked for: it is due at once.
      if (event.event === "marker_settled") this.due = null
      return
    }
    if (event.subjectKind === "host") {
      this.found.add("move-illegal", this.job.subject, `${said(event)} moves no job and no agent`)
      return
    }
    if (event.subjectKind === "job") {
      if (isBound) this.stateAtBound = event.toState
      this.move(this.job, event)
      this.look(event)
    } else {
      this.move(this.agent, event)
      this.checkIncarnation(event)
      if (event.event === "land") this.landings++
    }
  }

  /** After the last event. */
  conclude(): void {
    this.end(this.job, this.row.state)
    this.end(this.agent, this.row.agent?.state ?? null)
    const life = this.row.agent?.incarnation ?? 0
    if (this.agent.incarnation > life)
      this.found.add(
        "incarnation",
        this.agent.subject,
        `its row is at life ${life}, its events are at life ${this.agent.incarnation}`
      )
    if (this.landings > 1)
      this.found.add("two-completions", this.agent.subject, `it has ${this.landings} landings`)
    this.pair()
  }

  private move(subject: Walk, event: LifecycleEvent): void {
    if (!Machine.has(subject.machine, event))
      this.found.add(
        "move-illegal",
        subject.subject,
        `${said(event)} from ${event.fromState} to ${event.toState} for "${event.transitionReason}"`
      )
    if (event.fromState !== subject.state) {
      const rule = subject.moves === 0 ? "chain-start" : "chain-gap"
      const before = subject.state === null ? "no event" : subject.state
      this.found.add(rule, subject.subject, `${said(event)} leaves ${event.fromState} after ${before}`)
    }
    if (isInstant(event.occurredAt)) {
      if (event.occurredAt < subject.at)
        this.found.add(
          "time-backwards",
          subject.subject,
          `${said(event)} is ${subject.at - event.occurredAt} ms before the event before it`
        )
      subject.at = event.occurredAt
    }
    subject.state = event.toState
    subject.moves++
  }

  private checkIncarnation(event: LifecycleEvent): void {
    if (event.incarnation < this.agent.incarnation)
      this.found.add(
        "incarnation",
        this.agent.subject,
        `${said(event)} is of life ${event.incarnation}, after life ${this.agent.incarnation}`
      )
    this.agent.incarnation = event.incarnation
  }

  /** What a job's move says beside its edge. */
  private look(event: LifecycleEvent): void {
    if (this.early !== null && !endings.has(event.transitionReason))
      this.unpaired.push(["retry-early", this.early])
    this.early = null
    switch (event.event) {
      case "complete":
        this.completions++
        return
      case "fail":
      case "reject":
        this.failReason = event.transitionReason
        return
      case "retry":
        if (this.due !== null && event.occurredAt < this.due.nextAt)
          this.early = `${said(event)} starts ${this.due.nextAt - event.occurredAt} ms before it is due`
        return
      case "schedule_retry": {
        if (handBacks.has(event.transitionReason)) {
          this.handedBack++
          this.due = null
          return
        }
        this.due = this.retries.rows[this.logged] ?? null
        this.logged++
        if (this.due !== null && (this.due.code !== event.errorCode || this.due.at > event.occurredAt))
          this.unpaired.push([
            "retry-log",
            `${said(event)} is for ${event.errorCode}, retry ${this.logged} of the log for ${this.due.code}`
          ])
      }
    }
  }

  /** Events and rows of the retry log, side by side; their numbers first, since the rest follows from them. */
  private pair(): void {
    const rows = this.retries.rows.length
    if (rows < this.logged || rows > this.logged + this.handedBack) {
      const detail = `${this.logged} retries were scheduled, and the log has ${rows} rows`
      this.found.add("retry-log", this.job.subject, detail)
      return
    }
    // A hand-back may have a row of its own: then the rows don't stand beside the events.
    if (rows !== this.logged) return
    if (this.early !== null) this.unpaired.push(["retry-early", this.early])
    for (const [rule, detail] of this.unpaired) this.found.add(rule, this.job.subject, detail)
    if (this.row.state === "RETRY_SCHEDULED" && this.due !== null && this.row.runAt < this.due.nextAt)
      this.found.add(
        "retry-early",
        this.job.subject,
        `its run_at is ${this.due.nextAt - this.row.runAt} ms before its retry is due`
      )
  }

  private end(subject: Walk, state: string | null): void {
    if (subject.moves === 0 && state !== null)
      this.found.add("chain-start", subject.subject, `it is ${state} and has no event`)
    else if (subject.state !== state)
      this.found.add("chain-end", subject.subject, `its row says ${state}, its last event ${subject.state}`)
  }
}
