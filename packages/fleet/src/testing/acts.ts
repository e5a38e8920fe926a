/**
 * How the jobs and acts of a plan come about.
 */
import { type NewJob, readHold, Store, type Submission } from "@muster/core"
import { Clock, Effect, Exit } from "effect"
import * as NodeDigest from "../adapters/NodeDigest.ts"
import * as Operations from "../jobs/Operations.ts"
import * as Settlements from "../jobs/Settlements.ts"
import * as Submissions from "../jobs/Submissions.ts"
import { patiently } from "../loop/Host.ts"
import { seqOfJob } from "./Outside.ts"
import type { Act, JobPlan } from "./Plan.ts"
import type { SimulatedFleet } from "./SimulatedFleet.ts"
import type { SimulatedHost } from "./SimulatedHost.ts"

/** Hosts that may be up at once. */
const mostHosts = 3

/** A command that opens the store for itself, as a command line does. */
const command = <A, E>(
  fleet: SimulatedFleet,
  what: string,
  effect: Effect.Effect<A, E, Store>,
  take?: (exit: Exit.Exit<A, unknown>) => void
): void => {
  const layer = Store.layerFromDriver(Effect.succeed(fleet.operatorDriver))
  fleet.operator.ask(what, Effect.provide(effect, layer, { local: true }), take)
}

const submission = (
  { delayMillis, maxRetries, misfit, n, priority, workflow }: JobPlan,
  now: number,
  again = false
): Submission => ({
  workflowType: workflow,
  payload: { n: misfit ? String(n) : n, ...(again ? { again } : {}) },
  idempotencyKey: `job-${n}`,
  priority,
  maxRetries,
  ...(delayMillis === 0 ? {} : { runAt: now + delayMillis })
})

const byOperator = (given: Submission) =>
  Effect.gen(function* () {
    const store = yield* Store
    const at = yield* Clock.currentTimeMillis
    const job: NewJob = yield* Submissions.toNewJob(given, {
      actor: "operator:ana",
      now: at,
      maxRetries: () => 1
    }).pipe(Effect.provide(NodeDigest.layer, { local: true }))
    const { inserted } = yield* patiently(store.commit({ fence: null, at, inserts: [job] }))
    return inserted.map(({ _tag, jobId }) => ({ _tag, jobId }))
  })

/** Hands a job in; by a host if one is up, and its result is waited for there. */
export const submit = (fleet: SimulatedFleet, job: JobPlan, again = false): void => {
  const host = job.byOperator ? undefined : fleet.choose(job.n)
  const given = submission(job, fleet.time.wall(), again)
  const what = `submit ${job.n}${again ? " with another payload" : ""}`
  if (host?.service === null || host === undefined) {
    command(fleet, what, byOperator(given))
    return
  }
  host.ask(what, host.service.submitAll([given]), (exit) => {
    const [answer] = Exit.isSuccess(exit) ? exit.value : []
    if (answer !== undefined && answer._tag !== "Conflict") wait(fleet, host, seqOfJob(answer.jobId))
  })
}

/** Waits for the end of a job, and holds the answer against the store. */
const wait = (fleet: SimulatedFleet, host: SimulatedHost, seq: number): void => {
  const { service } = host
  if (service === null) return
  host.ask(`await job ${seq}`, service.await(String(seq)), (exit) => {
    const entry = fleet.ledger.entries.get(seq)
    if (Exit.isFailure(exit) || entry === undefined) return
    const { job, result } = exit.value
    if (job.state !== entry.row.state || result !== entry.result)
      fleet.verdict.blame(
        "wrong answer",
        `job ${seq} is said to be ${job.state} with ${result}, it is ${entry.row.state} with ${entry.result}`
      )
  })
}

/** The newest job of a number in the plan; undefined while there is none. */
const newest = (fleet: SimulatedFleet, n: number): number | undefined => {
  let found: number | undefined
  for (const [seq, entry] of fleet.ledger.entries) if (entry.n === n) found = seq
  return found
}

const cancel = (fleet: SimulatedFleet, n: number, operator: boolean): void => {
  const seq = newest(fleet, n)
  if (seq === undefined) return
  const host = operator ? undefined : fleet.choose(n)
  if (host?.service === null || host === undefined) {
    const wish = {
      kind: "cancel",
      job: seq,
      host: null,
      value: null,
      reason: "planned",
      actor: "operator:ana",
      requested_at: fleet.time.wall(),
      request_id: null
    }
    const ask = Effect.flatMap(Store, (store) =>
      patiently(store.commit({ fence: null, at: fleet.time.wall(), intents: [wish] }))
    )
    command(fleet, `wish that job ${seq} be cancelled`, ask)
    return
  }
  host.ask(`cancel job ${seq}`, host.service.cancel(String(seq)), (exit) => {
    const state = fleet.ledger.entries.get(seq)?.row.state
    if (Exit.isSuccess(exit) && state !== "CANCELLED")
      fleet.verdict.blame("wrong answer", `job ${seq} is said to be cancelled, and it is ${state}`)
  })
}

/** What operators want of hosts: through a host, or from outside. */
export const wish = (
  fleet: SimulatedFleet,
  kind: Operations.HostWish["kind"],
  host: number | null,
  slots: number | null,
  operator: boolean
): void => {
  const by = operator ? undefined : fleet.choose(0)
  const service = by?.service ?? null
  if (by === undefined || service === null) {
    const value = kind === "scale" ? JSON.stringify({ slots }) : null
    const ask = Operations.ask({ kind, host, value, reason: null, actor: "operator:ana", requestId: null })
    // It is one command: a busy store is asked again from the start.
    command(fleet, kind, patiently(ask))
    return
  }
  const address = host === null ? {} : { host }
  switch (kind) {
    case "pause":
      by.ask(kind, service.pause())
      return
    case "resume":
      by.ask(kind, service.resume())
      return
    case "drain":
      by.ask(kind, service.drain(address))
      return
    case "scale":
      by.ask(kind, service.scale(slots, address))
  }
}

/**
 * The operator looks at what the fleet asks about, and says what is true: the step is written, or it is not. Of a life that may still write it
 * nothing can be said yet.
 */
export const settle = (fleet: SimulatedFleet): void => {
  const { ledger, outside } = fleet
  for (const [seq, { row }] of ledger.entries) {
    const hold = readHold(row.hold)
    if (hold === null || outside.lives.some((life) => life.seq === seq && life.alive)) continue
    for (const marker of hold.markers) {
      const done = (outside.written.get(`${seq} ${marker}`) ?? 0) > 0
      const outcome = fleet.plan.seed % 7 === 0 ? "fail" : done ? "done" : "not_done"
      command(
        fleet,
        `say of step ${marker} of job ${seq}: ${outcome}`,
        Effect.gen(function* () {
          const store = yield* Store
          const { job } = yield* patiently(store.job(String(seq)))
          const wished = { marker, outcome, actor: "operator:ana", reason: null, requestId: null } as const
          yield* patiently(Settlements.ask(job, { ...wished, ...(done ? { result: 1 } : {}) }))
        })
      )
    }
  }
}

/** Lets one act happen; one that finds nothing to act on does nothing. Audits are the simulation's own. */
export const perform = (fleet: SimulatedFleet, act: Exclude<Act, { readonly _tag: "Audit" }>): void => {
  const { time, trace } = fleet
  const tell = (text: string) => trace.tell("world", () => text)
  const host = "host" in act && typeof act.host === "number" ? fleet.choose(act.host) : undefined
  switch (act._tag) {
    case "Start":
      if (fleet.up().length < mostHosts) fleet.startHost(act.host)
      return
    case "Stop":
      host?.stop()
      return
    case "Crash":
      host?.crash(act.seen)
      return
    case "Freeze":
      if (host === undefined) return
      tell(`${host.process.name} freezes for ${act.millis} ms`)
      fleet.freeze(host.process, act.millis)
      return
    case "Suspend":
      tell(`the machine sleeps for ${act.millis} ms`)
      fleet.suspend(act.millis)
      return
    case "Jump":
      tell(`the wall clock jumps by ${act.millis} ms`)
      time.shift += act.millis
      for (const one of fleet.hosts) one.disturbedAt = time.now
      return
    case "Lock":
      tell(`somebody holds the store for ${act.millis} ms`)
      fleet.lockedUntil = Math.max(fleet.lockedUntil, time.now + act.millis)
      return
    case "Full":
      tell(`the store's medium is full for ${act.millis} ms`)
      fleet.fullUntil = Math.max(fleet.fullUntil, time.now + act.millis)
      return
    case "Cancel":
      cancel(fleet, act.n, act.byOperator)
      return
    case "Duplicate": {
      const job = fleet.plan.jobs.find(({ n }) => n === act.n)
      if (job !== undefined) submit(fleet, job, !act.same)
      return
    }
    case "Settle":
      settle(fleet)
      return
    case "Await": {
      const seq = newest(fleet, act.n)
      if (host !== undefined && seq !== undefined) wait(fleet, host, seq)
      return
    }
    case "Replay": {
      const seq = newest(fleet, act.n)
      const service = host?.service ?? null
      if (host !== undefined && service !== null && seq !== undefined)
        host.ask(`replay job ${seq}`, service.replay(String(seq)))
      return
    }
    case "Pause":
    case "Resume":
      wish(fleet, act._tag === "Pause" ? "pause" : "resume", null, null, act.byOperator)
      return
    case "Drain":
      wish(
        fleet,
        "drain",
        act.host === null ? null : (host?.options.connection.host() ?? null),
        null,
        act.host === null
      )
      return
    case "Scale":
      wish(fleet, "scale", null, act.slots, true)
      return
  }
}
