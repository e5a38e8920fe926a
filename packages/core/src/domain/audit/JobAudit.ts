/**
 * The audit of one job: its row first, then its retry log, then its events, each as they are read; then the rest, and the findings.
 */
import type { Catalogue } from "../ErrorCatalogue.ts"
import type { Job } from "../Job.ts"
import type { LifecycleEvent } from "../LifecycleEvent.ts"
import type { RetryEntry } from "../turn/Draft.ts"
import { checkAgent } from "./agentRow.ts"
import type { Dossier } from "./Dossier.ts"
import { EventChain } from "./EventChain.ts"
import { type Finding, Findings } from "./Finding.ts"
import type { HostRegister } from "./HostRegister.ts"
import { checkLinks } from "./links.ts"
import { checkOutcome } from "./outcome.ts"
import { checkOwnership } from "./ownership.ts"
import { RetryLedger } from "./RetryLedger.ts"
import { checkSteps } from "./steps.ts"

export interface JobVerdict {
  readonly findings: ReadonlyArray<Finding>
  /** Events that were read. */
  readonly events: number
  /** The job's state by its chain at the bound; null when it was created later. */
  readonly stateAtBound: string | null
}

/** Counted without regard to chains. */
export interface JobCensus {
  /** Events and notes. */
  readonly events: number
  readonly completions: number
}

export class JobAudit {
  private readonly found = new Findings()
  private readonly retries: RetryLedger
  private readonly chain: EventChain
  private readonly job: Job
  private readonly catalogue: Catalogue

  /** @param bound a sequence; what the store held by then is counted */
  constructor(job: Job, catalogue: Catalogue, bound: number) {
    this.job = job
    this.catalogue = catalogue
    this.retries = new RetryLedger(job, catalogue, this.found)
    this.chain = new EventChain(job, this.retries, bound, this.found)
  }

  /** The next row of the retry log; all of them before the first event. */
  addRetry(row: RetryEntry): void {
    this.retries.add(row)
  }

  /** The next event, in the order of the store. */
  addEvent(event: LifecycleEvent): void {
    this.chain.add(event)
  }

  /** @param census what the whole store holds of the job up to the bound */
  conclude(dossier: Dossier, hosts: HostRegister, census: JobCensus): JobVerdict {
    const { chain, found, job } = this
    this.retries.conclude()
    chain.conclude()
    checkOwnership(job, hosts, found)
    checkAgent(job, found)
    checkOutcome(dossier, chain.failReason, this.catalogue, found)
    checkLinks(dossier, found)
    checkSteps(dossier, found)
    const subject = `job:${job.jobId}`
    if (census.events !== chain.countAtBound)
      found.add(
        "event-stray",
        subject,
        `the store holds ${census.events} events of it, and its chain reaches ${chain.countAtBound}`
      )
    const completions = Math.max(census.completions, chain.completions)
    if (completions > 1) found.add("two-completions", subject, `it has ${completions} completions`)
    return { findings: found.all, events: chain.count, stateAtBound: chain.stateAtBound }
  }
}
