/**
 * What a run knows of its own jobs: which they are, where each stands by the events seen so far, and how many are left to wait for. It
 * only reads; the store decides when a job is over.
 */
import { isOver, type Job, type JobState, type LifecycleEvent } from "@muster/core"
import type { RunTally } from "../watch/FleetLook.ts"

/** One job of the run. Only RunProgress writes to it. */
export interface RunJob {
  readonly jobId: string
  readonly workflowType: string
  /** The first line that asked for it, from 1; null for a job that waited already. */
  readonly line: number | null
  /** Whether this run serves its workflow; one that it doesn't is not waited for. */
  readonly served: boolean
  state: JobState
  /** From 1: the attempt that runs, or ran last. */
  attempt: number
  /** Epoch ms: when it is or was due. */
  dueAt: number
  /** The steps of which nobody knows whether they were done, while the job is parked because of them; else empty. */
  asks: ReadonlyArray<string>
  /** What the latest failure said; empty when nothing failed. */
  message: string
  /** The store has said that it is over, and its agent is gone. */
  over: boolean
  agentState: string | null
}

/** Retries for these reasons are no fault of the job: they count no attempt (R2). */
const unburned: ReadonlySet<string> = new Set([
  "host_lost",
  "host_shutdown",
  "rate_limited",
  "plugin_broken",
  "outcome_unknown"
])

interface Detail {
  readonly message: string
  readonly delayMillis: number
  readonly asks: ReadonlyArray<string>
  readonly marker: unknown
}

const detailOf = (detail: string | null): Detail => {
  const value: unknown = detail === null ? null : JSON.parse(detail)
  if (typeof value !== "object" || value === null)
    return { message: "", delayMillis: 0, asks: [], marker: null }
  const message: unknown = Reflect.get(value, "message")
  const delay: unknown = Reflect.get(value, "delay_ms")
  const asks: unknown = Reflect.get(value, "asks")
  return {
    message: typeof message === "string" ? message : "",
    delayMillis: typeof delay === "number" ? delay : 0,
    asks: Array.isArray(asks) ? asks.map(String) : [],
    marker: Reflect.get(value, "marker")
  }
}

export class RunProgress {
  readonly #served: ReadonlySet<string>
  readonly #jobs = new Map<string, RunJob>()
  readonly #counts = new Map<JobState, number>()
  /** Those that are served here and wait for an answer. */
  readonly #parked = new Set<RunJob>()
  #waiting = 0
  retries = 0

  constructor(served: ReadonlySet<string>) {
    this.#served = served
  }

  get jobs(): Iterable<RunJob> {
    return this.#jobs.values()
  }

  get size(): number {
    return this.#jobs.size
  }

  /** Jobs that are served here, not over, and not parked: those go on when somebody has answered, which may be never. */
  get waiting(): number {
    return this.#waiting - this.#parked.size
  }

  job(jobId: string): RunJob | undefined {
    return this.#jobs.get(jobId)
  }

  #count(state: JobState, by: 1 | -1): void {
    this.#counts.set(state, (this.#counts.get(state) ?? 0) + by)
  }

  #ask(job: RunJob, asks: ReadonlyArray<string>): void {
    job.asks = asks
    if (asks.length > 0 && job.served && !job.over) this.#parked.add(job)
    else this.#parked.delete(job)
  }

  #move(job: RunJob, state: JobState): void {
    if (job.served) {
      this.#count(job.state, -1)
      this.#count(state, 1)
    }
    job.state = state
  }

  /** Takes a job for the run's own; one that is there already stays as it is. */
  claim(
    given: Pick<RunJob, "jobId" | "workflowType" | "line" | "state" | "dueAt"> &
      Partial<Pick<RunJob, "asks">>,
    retryCount: number
  ): RunJob {
    const known = this.#jobs.get(given.jobId)
    if (known !== undefined) return known
    const job: RunJob = {
      ...given,
      served: this.#served.has(given.workflowType),
      attempt: retryCount + 1,
      asks: [],
      message: "",
      over: false,
      agentState: null
    }
    this.#jobs.set(job.jobId, job)
    this.#ask(job, given.asks ?? [])
    if (job.served) {
      this.#waiting++
      this.#count(job.state, 1)
    }
    return job
  }

  /** Takes an event; the job that it is about, or undefined where that is none of the run's. */
  observe(event: LifecycleEvent): RunJob | undefined {
    const job = event.jobId === null ? undefined : this.#jobs.get(event.jobId)
    if (job === undefined) return job
    const { asks, delayMillis, marker, message } = detailOf(event.detail)
    if (event.event === "marker_settled")
      this.#ask(
        job,
        job.asks.filter((step) => step !== marker)
      )
    if (event.toState === null) return job
    if (event.subjectKind === "agent") job.agentState = event.toState
    if (event.subjectKind !== "job" || job.over) return job
    // The store's tables know no other states of a job.
    this.#move(job, event.toState as JobState)
    this.#ask(job, asks)
    if (message !== "") job.message = message
    if (event.event === "schedule_retry") {
      job.dueAt = event.occurredAt + delayMillis
      if (!unburned.has(event.transitionReason)) {
        job.attempt++
        this.retries++
      }
    }
    return job
  }

  /** Whether nothing more is to be expected of the job by what has been seen: ask the store then. */
  looksOver(job: RunJob): boolean {
    return !job.over && isOver(job.state) && (job.agentState === null || job.agentState === "tombstoned")
  }

  /** Whether the stored job ends the wait for it; so it is when its row says what the events said. */
  end(job: RunJob, stored: Job): boolean {
    if (job.over || stored.state !== job.state || !isOver(stored.state)) return false
    job.over = true
    this.#parked.delete(job)
    if (job.served) this.#waiting--
    return true
  }

  get counts(): RunTally {
    const of = (state: JobState): number => this.#counts.get(state) ?? 0
    const counts = {
      landed: of("COMPLETED"),
      working: of("VALIDATING") + of("PROCESSING"),
      retrying: of("RETRY_SCHEDULED"),
      waiting: of("PENDING"),
      dead: of("DEAD_LETTERED") + of("FAILED"),
      cancelled: of("CANCELLED")
    }
    return { ...counts, total: Object.values(counts).reduce((sum, count) => sum + count, 0) }
  }
}
