/**
 * The oracle of rest: looked at whenever time is about to move, it finds a host that has a free slot and leaves due work where it is for
 * longer than anything may take that has not gone wrong (design, "The loop may rest only if ...").
 */
import { Intent } from "@muster/core"
import type { SimulatedFleet } from "./SimulatedFleet.ts"
import type { SimulatedHost } from "./SimulatedHost.ts"

/** Looks at the store, a turn and its commit, each slow; and the steps in which slots fill up after a pause (R22). */
const mostMillis = 4_000

export class RestWatch {
  /** Since when a host has had work and room, in milliseconds after the beginning. */
  private readonly since = new Map<SimulatedHost, number>()
  private wishes = 0
  private wishedAt = 0
  private readonly fleet: SimulatedFleet

  constructor(fleet: SimulatedFleet) {
    this.fleet = fleet
  }

  /** Whether the host could take a job now and is free to. */
  private idles(host: SimulatedHost): boolean {
    const { ledger, outside, time } = this.fleet
    const { connection, plan, workflows } = host.options
    const control = Intent.controlOf(this.fleet.openIntents(), connection.host())
    const slots = control.slots ?? plan.slots
    return (
      Intent.mayClaim(control) &&
      ledger.used(connection.epoch()) < slots &&
      outside.hungUnder(connection.epoch()) < slots &&
      ledger.due(time.wall(), (workflow) => workflows.has(workflow)) !== null
    )
  }

  look(): void {
    const { ledger, time, verdict } = this.fleet
    if (ledger.wishes.size + ledger.settled !== this.wishes) {
      this.wishes = ledger.wishes.size + ledger.settled
      this.wishedAt = time.now
    }
    if (ledger.runnable.size === 0) {
      this.since.clear()
      return
    }
    for (const host of this.fleet.up()) {
      if (
        host.process.state !== "runs" ||
        time.now < Math.max(this.fleet.lockedUntil, this.fleet.fullUntil) ||
        !this.idles(host)
      ) {
        this.since.delete(host)
        continue
      }
      const since = this.since.get(host) ?? time.now
      this.since.set(host, since)
      const { connection } = host.options
      const from = Math.max(since, host.disturbedAt, connection.troubledAt(), this.wishedAt)
      if (time.now - from <= mostMillis) continue
      const seq = ledger.due(time.wall(), (workflow) => host.options.workflows.has(workflow))
      verdict.blame(
        "rests beside work",
        `${host.process.name} leaves job ${seq} where it is for ${time.now - from} ms`
      )
      this.since.delete(host)
    }
  }
}
