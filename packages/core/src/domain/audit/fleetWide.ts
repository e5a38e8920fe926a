/**
 * What no single job's row can tell: slots, kept counts, silent hosts, open wishes (R4, R16, R19, R24).
 */
import { holdsSlot } from "../Agent.ts"
import type { Job } from "../Job.ts"
import { isOver } from "../JobMachine.ts"
import type { Findings } from "./Finding.ts"
import type { HostRegister } from "./HostRegister.ts"

/** Counts by workflow and state. */
export class StateCounts {
  private readonly counts = new Map<string, number>()

  add(workflow: string, state: string, count = 1): void {
    const key = JSON.stringify([workflow, state])
    this.counts.set(key, (this.counts.get(key) ?? 0) + count)
  }

  /** Where `kept` says something else, in words. */
  differences(kept: StateCounts): ReadonlyArray<string> {
    const keys = new Set([...this.counts.keys(), ...kept.counts.keys()])
    return Array.from(keys).flatMap((key) => {
      const [mine, theirs] = [this.counts.get(key) ?? 0, kept.counts.get(key) ?? 0]
      // a key is what `add` made of two texts
      const [workflow, state] = JSON.parse(key) as [string, string]
      return mine === theirs ? [] : [`${workflow} ${state}: ${theirs} kept, ${mine} counted`]
    })
  }
}

/** @param slots as the host has banked them; null where it never has */
export const checkSlots = (
  host: number,
  owned: ReadonlyArray<Job>,
  slots: number | null,
  found: Findings
): void => {
  if (slots === null) return
  const living = owned.filter(({ agent }) => agent !== null && holdsSlot(agent)).length
  if (living > slots)
    found.add("slots-exceeded", `host:${host}`, `${living} lives hold a slot, and it has ${slots}`)
}

/** A wish that waits for an answer. */
export interface OpenIntent {
  readonly intent: number
  readonly kind: string
  /** Epoch ms. */
  readonly requestedAt: number
}

/** @param job that it speaks of, as it stands now */
export const checkIntent = (intent: OpenIntent, job: Job, hosts: HostRegister, found: Findings): void => {
  if (!isOver(job.state)) return
  const severity = hosts.overdue(Math.max(intent.requestedAt, job.updatedAt))
  found.add(
    "intent-open",
    `intent:${intent.intent}`,
    `${intent.kind} of job ${job.jobId}, which is ${job.state}`,
    severity
  )
}

/** Silent hosts that no other host has taken for lost yet. */
export const checkSilence = (hosts: HostRegister, found: Findings): void => {
  for (const { beatAt, host } of hosts.silent)
    found.add(
      "host-silent",
      `host:${host}`,
      `its last beat was ${Math.round((hosts.now - beatAt) / 1_000)} s ago${hosts.someoneRuns ? "" : ", and no host runs that could adopt its work"}`,
      "note"
    )
}
