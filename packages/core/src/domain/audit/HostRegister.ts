/**
 * The hosts of a store at one look: who owns what, and whether somebody runs who must adopt what another has left (R19).
 */
import type { Owner } from "../Agent.ts"
import { defaults } from "../Defaults.ts"
import type { AuditSeverity } from "./Finding.ts"

/** What the audit knows of a host. */
export interface SeenHost {
  readonly host: number
  readonly epoch: number
  /** Its epoch is not over in the store: neither fenced nor stopped. Whether its process still runs is another matter. */
  readonly live: boolean
  /** Epoch ms. */
  readonly beatAt: number
  /** Epoch ms. */
  readonly enlistedAt: number
}

/**
 * A silent host is fenced after a lease that its observer counts from the first look; adoption follows with a renewal at the latest.
 * Twice both is time enough, in milliseconds.
 */
const adoptionMillis = 2 * (defaults.leaseMillis + defaults.renewalMillis)

export class HostRegister {
  readonly now: number
  /** By epoch: no two hosts ever have the same. */
  private readonly hosts: ReadonlyMap<number, SeenHost>

  /** @param now epoch ms, on the clock that the hosts' beats are read by */
  constructor(hosts: ReadonlyArray<SeenHost>, now: number) {
    this.hosts = new Map(hosts.map((host) => [host.epoch, host]))
    this.now = now
  }

  /** How an owner stands: its epoch lasts, is over, or never was. */
  standing(owner: Owner): "live" | "over" | "unknown" {
    const host = this.hosts.get(owner.epoch)
    if (host?.host !== owner.host) return "unknown"
    return host.live ? "live" : "over"
  }

  /** Epoch ms of the owner's last beat; 0 for an unknown one. */
  beatOf(owner: Owner): number {
    return this.hosts.get(owner.epoch)?.beatAt ?? 0
  }

  beats(host: SeenHost): boolean {
    return host.live && this.now - host.beatAt < defaults.leaseMillis
  }

  /** Live hosts without a beat for a lease. */
  get silent(): ReadonlyArray<SeenHost> {
    return Array.from(this.hosts.values()).filter((host) => host.live && !this.beats(host))
  }

  /** A fault when a host has been running beside it for so long that it must have seen to it; else a note. */
  overdue(since: number): AuditSeverity {
    for (const host of this.hosts.values())
      if (this.beats(host) && Math.max(since, host.enlistedAt) + adoptionMillis < this.now) return "fault"
    return "note"
  }

  /** Whether any host gives a sign of life. */
  get someoneRuns(): boolean {
    return Array.from(this.hosts.values()).some((host) => this.beats(host))
  }
}
