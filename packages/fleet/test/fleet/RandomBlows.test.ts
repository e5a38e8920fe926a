// Fleets under random blows: hosts are killed, stopped, put to sleep and started, the store is busy, jobs are cancelled. Whatever happens, no
// job is lost, none lands twice, every move is in the table, and no host has more agents than slots.
import { assert, it } from "@effect/vitest"
import { isOver, type Lander, type LandingOrder, limits } from "@muster/core"
import { ScriptedRunner } from "@muster/core/testing"
import { Arbitrary, Clock, Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { numbers, scriptedWorkflow } from "./Scripted.ts"
import * as World from "./World.ts"

const { beat, cleanUpFor, die, fail, sleep, succeed, waitFor } = ScriptedRunner

const slots = 2

/** Those that come more often stand here more often. */
const Blow = Schema.Literals([
  "start a host",
  "start a host",
  "kill a host",
  "kill a host unseen",
  "wake a host",
  "stop a host",
  "keep the store busy",
  "be blind for a while",
  "hold a commit",
  "hold a commit",
  "let commits go",
  "cancel a job",
  "cancel a job",
  "suspend the machine"
])

/** A blow, and the time until the next one, in milliseconds. */
const Act = Schema.Tuple([Blow, Schema.Literals([20, 150, 400, 1_000, 4_000])])

/** What the agents of job `n` do: one kind after the other. */
const script = ({ incarnation, n }: { readonly incarnation: number; readonly n: number }) => {
  const first = incarnation === 1
  const kinds = [
    [cleanUpFor(100), sleep(50), succeed(n)],
    [cleanUpFor(700), sleep(1_500), beat, sleep(1_500), succeed(n)],
    first ? [cleanUpFor(300), fail("EXT_FLAKY")] : [sleep(300), succeed(n)],
    first ? [sleep(100), die("a bug")] : [cleanUpFor(500), sleep(500), succeed(n)],
    [cleanUpFor(500), sleep(500), fail("DQ_NO_ROWS")],
    first ? [fail("EXT_LIMIT", { retryAfterMillis: 2_000 })] : [succeed(n)],
    first ? [cleanUpFor(1_000), waitFor("never")] : [sleep(1_000), succeed(n)]
  ]
  return kinds[n % kinds.length] ?? []
}

/**
 * A slow lander whose target remembers what has landed, and who came last: as a repository does that is given fencing tokens. Who was
 * overtaken lands no more, though it may still be alive.
 */
const remembering = () => {
  const landed = new Map<string, number>()
  const latest = new Map<string, number>()
  const isOvertaken = ({ assignment: { jobId }, fencingToken }: LandingOrder): boolean => {
    const last = Math.max(latest.get(jobId) ?? 0, fencingToken)
    latest.set(jobId, last)
    return fencingToken < last
  }
  const lander: Lander = {
    name: "remembering",
    land: (order) =>
      Effect.gen(function* () {
        yield* Effect.sleep(200)
        if (isOvertaken(order)) return yield* Effect.fail("somebody else lands this")
        const { jobId } = order.assignment
        landed.set(jobId, (landed.get(jobId) ?? 0) + 1)
        yield* Effect.sleep(200)
        return { _tag: "Landed", reference: null } as const
      }),
    check: (order) =>
      Effect.sync(() => {
        isOvertaken(order)
        return landed.has(order.assignment.jobId) ? "landed" : "absent"
      })
  }
  return { lander, landed }
}

/** No host has ever had more agents alive than slots. */
const checkSlots = (journal: ReadonlyArray<ScriptedRunner.Entry>): void => {
  const living = new Map<string, number>()
  for (const { assignment, what } of journal) {
    const change = what === "started" ? 1 : what === "released" ? -1 : 0
    const now = (living.get(assignment.token) ?? 0) + change
    living.set(assignment.token, now)
    assert.isAtMost(now, slots, `host ${assignment.token} has more agents than slots`)
  }
}

/** No job has two living agents at once, but where the host of the earlier one was struck, and goes on unseen. */
const checkLives = (journal: ReadonlyArray<ScriptedRunner.Entry>, struck: ReadonlySet<string>): void => {
  const living = new Map<string, Array<string>>()
  for (const { assignment, what } of journal) {
    const { jobId, token } = assignment
    const mine = living.get(jobId) ?? []
    if (what === "started") {
      const others = mine.filter((other) => !struck.has(other))
      assert.deepStrictEqual(others, [], `${jobId} is started by ${token} while it runs`)
      living.set(jobId, [...mine, token])
    }
    if (what === "released") mine.splice(mine.indexOf(token), 1)
  }
}

const story = Effect.fnUntraced(function* (acts: ReadonlyArray<typeof Act.Type>, jobs: number) {
  const { lander, landed } = remembering()
  const { scripted, work } = scriptedWorkflow(script, {
    lander,
    silence: "5 seconds",
    breaker: { failures: 8, window: "10 seconds", probe: "500 millis" }
  })
  const world = yield* World.make
  const all: Array<World.HostUnderTest> = []
  const start = Effect.tap(world.host({ workflows: [work], slots, stop: "10 seconds" }), (host) =>
    Effect.sync(() => void all.push(host))
  )
  const running: Array<World.HostUnderTest> = [yield* start, yield* start]
  const struck = new Set<string>()
  const asleep: Array<World.HostUnderTest> = []
  const letGo = Effect.suspend(() =>
    Effect.forEach(all, ({ faults }) => faults.release("held"), { discard: true })
  )
  const submitter = yield* world.host({ workflows: [] })
  const from = yield* Clock.currentTimeMillis
  yield* submitter.fleet.submitAll(
    numbers(jobs).map((n) => ({ workflowType: "work", payload: n, runAt: Math.floor(from) + n * 250 }))
  )

  const strike = Effect.fnUntraced(function* (blow: typeof Blow.Type, index: number) {
    const host = running[index % Math.max(1, running.length)]
    switch (blow) {
      case "start a host":
        if (running.length < 3) running.push(yield* start)
        return
      case "let commits go":
        return yield* letGo
      case "suspend the machine":
        return yield* world.suspend(60_000)
      case "wake a host":
        return yield* asleep.shift()?.faults.thaw ?? Effect.void
      case "cancel a job":
        yield* world.store.commit({ fence: null, at: 0, intents: [World.cancelOf((index % jobs) + 1)] })
        return
      default:
    }
    if (host === undefined) return
    switch (blow) {
      case "hold a commit":
        return host.faults.inject({ gate: "held" })
      case "keep the store busy":
        return host.faults.inject({ error: "busy", times: 5 })
      case "be blind for a while":
        return host.faults.inject({ operation: "records", error: "busy", times: 3 })
      case "stop a host": {
        running.splice(running.indexOf(host), 1)
        yield* host.faults.release("held")
        const stopping = yield* Effect.forkChild(host.stop)
        for (let second = 0; second < 12 && stopping.pollUnsafe() === undefined; second++)
          yield* TestClock.adjust("1 second")
        return assert.isDefined(stopping.pollUnsafe(), "a stop is over within its time")
      }
      default:
        running.splice(running.indexOf(host), 1)
        struck.add(host.token)
        yield* host.crash(blow === "kill a host" ? "seen" : "unseen")
        if (blow === "kill a host unseen") asleep.push(host)
    }
  })
  for (const [index, [blow, time]] of acts.entries()) {
    yield* strike(blow, index)
    yield* TestClock.adjust(time)
  }

  // Peace: a host that nobody strikes ends everything within a few minutes.
  yield* letGo
  running.push(yield* start)
  const page = { by: "page", state: null, workflow: null, after: 0, limit: limits.maxRetries } as const
  const unended = () =>
    Effect.map(world.store.jobs(page), (jobs) =>
      jobs.filter(({ job }) => !isOver(job.state) || (job.agent !== null && job.agent.state !== "tombstoned"))
    )
  for (let turn = 0; turn < 24 && (yield* unended()).length > 0; turn++) yield* TestClock.adjust("10 seconds")
  assert.deepStrictEqual(
    (yield* unended()).map(({ job }) => [job.jobId, job.state, job.agent]),
    [],
    "every job comes to its end"
  )
  const stored = yield* world.store.jobs(page)
  assert.strictEqual(stored.length, jobs, "no job is lost")
  for (const { job } of stored) {
    const times = landed.get(job.jobId) ?? 0
    assert.isAtMost(times, 1, `${job.jobId} has landed ${times} times`)
    if (job.state === "COMPLETED")
      assert.strictEqual(times, 1, `${job.jobId} is COMPLETED and has not landed`)
    if (job.lastErrorCode === "DQ_NO_ROWS") assert.isFalse(job.state === "COMPLETED")
  }
  checkSlots(scripted.journal)
  checkLives(scripted.journal, struck)
  for (const { fleet } of running) {
    const over = yield* Effect.forkChild(Effect.exit(fleet.ended))
    yield* Effect.yieldNow
    assert.isUndefined(over.pollUnsafe(), "no host ends that nobody has struck")
    const { agents, usedSlots } = yield* fleet.snapshot
    assert.deepStrictEqual([usedSlots, agents.length], [0, 0], "no host holds a slot for nothing")
  }
}, Effect.scoped)

it.effect.prop(
  "whatever befalls its hosts, a fleet loses no job, lands none twice, moves by the tables and keeps to its slots",
  {
    acts: Arbitrary.array(Arbitrary.schema(Act), { minLength: 16, maxLength: 30 }),
    jobs: Schema.Int.check(Schema.isBetween({ minimum: 8, maximum: 40 }))
  },
  ({ acts, jobs }) => story(acts, jobs),
  { arbitrary: { runs: 25, seed: "blows" }, timeout: 120_000 }
)
