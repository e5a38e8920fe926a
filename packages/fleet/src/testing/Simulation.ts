/**
 * One simulated life of a store and its hosts: the plan's jobs and acts on the machine's time, with the oracles at each instant; then calm, in
 * which everything must come to its end; then all hosts stop, and a last look.
 */
import { type Catalogue, Intent, type StoreDriver } from "@muster/core"
import { Cause, Effect, Exit } from "effect"
import { perform, settle, submit, wish } from "./acts.ts"
import { audit, checkEnd, checkLeft, compare, pending } from "./lastLook.ts"
import type { Plan } from "./Plan.ts"
import { RestWatch } from "./RestWatch.ts"
import { type OpenStore, SimulatedFleet } from "./SimulatedFleet.ts"
import type { Violation } from "./Verdict.ts"

export interface SimulationOptions {
  readonly plan: Plan
  /** The connection through which the simulation looks at the store by itself. */
  readonly driver: StoreDriver
  /** Gives each process a connection. */
  readonly open: OpenStore
  /** That of the hosts. */
  readonly catalogue: Catalogue
  /** Keeps the story. */
  readonly traced: boolean
}

export interface Simulated {
  readonly plan: Plan
  readonly violations: ReadonlyArray<Violation>
  /** The story, line by line; empty unless it was asked for. */
  readonly trace: ReadonlyArray<string>
  /** Commits that took effect, jobs, hosts, and the time that passed, in milliseconds. */
  readonly commits: number
  readonly jobs: number
  readonly hosts: number
  readonly millis: number
}

/** After this long in the calm what has not ended never will, in milliseconds. */
const calmMillis = 600_000
/** Whole stops take at most this long, agents that ignore their interruption included. */
const stopMillis = 60_000
/** How often the simulation looks whether everything has ended. */
const lookMillis = 250

export const run = Effect.fnUntraced(function* ({
  catalogue,
  driver,
  open,
  plan,
  traced
}: SimulationOptions) {
  const fleet = new SimulatedFleet(plan, open, traced)
  const { runs, time, verdict } = fleet
  const watch = new RestWatch(fleet)

  /** Lets the world go on until `done` says so at an instant, or `limit` milliseconds have passed: then false. */
  const goOn = Effect.fnUntraced(function* (done: () => boolean, limit: number) {
    const end = time.now + limit
    for (;;) {
      const next = runs.shift()
      if (next !== undefined) yield* next
      else if (!time.step()) {
        if (!verdict.clean || done()) return true
        if (runs.length > 0 || time.busy()) continue
        if (!fleet.calm || time.now < end) watch.look()
        const at = time.next()
        if (at === null || at > end) return false
        time.advance()
      }
    }
  })

  const story = Effect.gen(function* () {
    fleet.startHost(plan.host)
    for (const job of plan.jobs) time.after(job.at, () => submit(fleet, job))
    for (const act of plan.acts)
      time.after(act.at, () => {
        if (act._tag === "Audit") runs.push(audit(fleet, driver, catalogue))
        else perform(fleet, act)
      })
    time.after(plan.calmAt + 1, () => {})
    yield* goOn(() => time.now > plan.calmAt, Number.POSITIVE_INFINITY)
    if (!verdict.clean) return

    fleet.beginCalm()
    let lookAt = 0
    let settleAt = 0
    const ended = (): boolean => {
      if (time.now < lookAt) return false
      lookAt = time.now + lookMillis
      const full = fleet.hosts.some(
        ({ options, state }) => (state === "up" || state === "starting") && !options.plan.partly
      )
      if (!full) fleet.startHost(plan.host)
      if (time.now >= settleAt && fleet.operator.unanswered().length === 0) {
        settle(fleet)
        settleAt = time.now + 1_000
      }
      // Whoever was held up may have asked for a pause only now.
      if (Intent.pausesOf(fleet.openIntents()).length > 0) wish(fleet, "resume", null, null, true)
      return full && pending(fleet).length === 0
    }
    if (!(yield* goOn(ended, calmMillis)))
      for (const what of pending(fleet))
        verdict.blame(
          what.includes("answer") ? "unanswered" : "job lost",
          `${what} after ${calmMillis} ms of calm`
        )
    if (!verdict.clean) return
    checkEnd(fleet)
    yield* audit(fleet, driver, catalogue)
    yield* compare(fleet, driver)

    for (const host of fleet.hosts) host.stop()
    yield* goOn(() => fleet.hosts.every((host) => host.atRest()), stopMillis)
    checkLeft(fleet)
  })
  const exit = yield* Effect.exit(Effect.scoped(story))
  if (Exit.isFailure(exit)) {
    const why = Cause.squash(exit.cause)
    const circles = why instanceof Error && why.message.includes("runs in circles")
    verdict.blame(circles ? "runs in circles" : "defect", Cause.pretty(exit.cause))
  }
  const simulated: Simulated = {
    plan,
    violations: verdict.violations,
    trace: fleet.trace.lines,
    commits: fleet.ledger.commits,
    jobs: fleet.ledger.entries.size,
    hosts: fleet.hosts.length,
    millis: time.now
  }
  return simulated
})
