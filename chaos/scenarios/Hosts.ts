/**
 * Several hosts on one file, and hosts that go: killed in turn, frozen past their lease, stopped in the middle of everything, killed
 * while they take over what the kill before has left.
 */
import { Effect } from "effect"
import { slowness } from "../harness/HostProcess.ts"
import type { Wanted } from "../harness/Jobs.ts"
import type { Stage } from "../harness/Stage.ts"
import * as Ledger from "../host/Ledger.ts"
import type { Behaviour, WorkflowName } from "../HostProtocol.ts"
import { Broken, type Scenario } from "../Scenario.ts"
import { between, chance } from "./Chance.ts"

const kinds: ReadonlyArray<WorkflowName> = ["function", "program", "bare"]

/** Jobs of all kinds, in turn. */
const mixed = (
  count: number,
  name: string,
  behaviour: Behaviour = "works",
  millis = 20
): ReadonlyArray<Wanted> =>
  Array.from({ length: count }, (_, index) => ({
    workflow: kinds[index % kinds.length] ?? "bare",
    name: `${name} ${index}`,
    behaviour,
    millis
  }))

const insist = (holds: boolean, detail: string) => (holds ? Effect.void : Effect.fail(new Broken({ detail })))

/** The processes in which lives have begun, of functions. */
const workers = (stage: Stage): ReadonlySet<string> =>
  new Set(Ledger.lines(stage.folder, "work").flatMap(([, , , , pid]) => pid ?? []))

const splitAndAdopt: Scenario = {
  name: "two-hosts",
  promise: "Hosts that share one file split the queue and adopt each other's work after a crash",
  share: 0,
  play: Effect.fnUntraced(function* (stage) {
    const first = yield* stage.start()
    const second = yield* stage.start()
    yield* first.heard("started")
    yield* second.heard("started")
    yield* stage.submit(mixed(60, "split", "works", 40))
    yield* stage.everythingDone()
    const pids = workers(stage)
    yield* insist(
      pids.has(String(first.pid)) && pids.has(String(second.pid)),
      "one of two hosts has done all the work"
    )
    const waiting = yield* stage.submit(mixed(8, "adopted", "waits"))
    yield* stage.waitUntil("both hosts were at work", () =>
      waiting.every(({ jobId }) => stage.begun(jobId) === 1)
    )
    yield* stage.kill(first)
    const at = performance.now()
    yield* stage.letGo
    yield* stage.everythingDone()
    stage.remark(`adopted and done ${Math.round(performance.now() - at)} ms after the kill`)
    yield* second.stop
  })
}

const takeTurns: Scenario = {
  name: "killed-in-turn",
  promise:
    "1,000 jobs, a fifth of them failing for a while, 2 % for good and 1 % silent, all end while two hosts are killed in turn",
  share: 0.1,
  play: Effect.fnUntraced(function* (stage, { kills, seed }) {
    const next = chance(seed)
    const jobs = Array.from({ length: 1_000 }, (_, index): Wanted => {
      const drawn = next()
      const behaviour = drawn < 0.2 ? "flaky" : drawn < 0.22 ? "hopeless" : drawn < 0.23 ? "silent" : "works"
      return {
        ...mixed(1, `job ${index}`)[0],
        workflow: kinds[index % 3] ?? "bare",
        name: `job ${index}`,
        behaviour,
        millis: between(next, 5, 60)
      }
    })
    yield* stage.submit(jobs)
    const at = performance.now()
    const wish = { slots: 10, silenceMillis: 1_000 }
    let pair = [yield* stage.start(wish), yield* stage.start(wish)]
    const isOver = () =>
      jobs.length ===
      Array.from(stage.history.jobs.values()).filter(({ jobId }) => stage.isDone(jobId)).length
    for (let kill = 0; kill < kills && !isOver(); kill++) {
      const [victim, other] = pair
      if (victim === undefined || other === undefined) break
      yield* victim.heard("started")
      yield* Effect.sleep(between(next, 800, 2_200))
      yield* stage.kill(victim)
      pair = [other, yield* stage.start({ ...wish, expectsWork: true })]
      yield* stage.look
    }
    yield* stage.everythingDone(180_000)
    stage.remark(`1,000 jobs in ${((performance.now() - at) / 1_000).toFixed(1)} s`)
  })
}

const fiftyAgents = 50

const startedAgain: Scenario = {
  name: "fifty-again",
  promise:
    "After a kill -9 with 50 agents at work all of them go again within a second of the next start, also if that is killed too",
  share: 0,
  play: Effect.fnUntraced(function* (stage, { seed }) {
    const next = chance(seed)
    const wish = { slots: fiftyAgents, expectsWork: true }
    const jobs = yield* stage.submit(
      Array.from({ length: fiftyAgents }, (_, index): Wanted => ({
        workflow: index % 2 === 0 ? "program" : "function",
        name: `agent ${index}`,
        behaviour: "waits"
      }))
    )
    const all = (lives: number) =>
      stage.waitUntil(`all ${fiftyAgents} agents were at work for time ${lives}`, () =>
        jobs.every(({ jobId }) => stage.begun(jobId) >= lives)
      )
    const first = yield* stage.start(wish)
    yield* all(1)
    yield* stage.kill(first)
    // Killed again while it takes over, at moments of chance.
    for (let again = 0; again < 3; again++) {
      const host = yield* stage.start(wish)
      yield* Effect.timeoutOption(host.heard("started"), between(next, 200, 700))
      yield* Effect.sleep(between(next, 0, 60))
      yield* stage.kill(host)
    }
    const before = new Map(jobs.map(({ jobId }) => [jobId, stage.begun(jobId)]))
    const last = yield* stage.start(wish)
    const at = performance.now()
    yield* stage.waitUntil("all agents went again", () =>
      jobs.every(({ jobId }) => stage.begun(jobId) > (before.get(jobId) ?? 0))
    )
    const whole = performance.now() - at
    const { loaded } = yield* last.heard("started")
    stage.remark(
      `all ${fiftyAgents} going again ${Math.round(whole - loaded)} ms after the host's first line, ${Math.round(whole)} ms after its start`
    )
    yield* stage.letGo
    yield* stage.everythingDone()
    yield* insist(
      whole - loaded < 1_000 * slowness(last),
      `it took ${Math.round(whole - loaded)} ms until all agents went again`
    )
  })
}

/** Short, so that a scenario can wait for its end. */
const leaseMillis = 2_000

const frozen: Scenario = {
  name: "frozen-host",
  promise: "A host that was frozen past its lease writes nothing to the store, lands nothing, and says so",
  share: 0,
  play: Effect.fnUntraced(function* (stage) {
    const wish = { slots: 6, leaseMillis }
    const first = yield* stage.start(wish)
    const { host } = yield* first.heard("started")
    const jobs = yield* stage.submit(mixed(6, "frozen", "waits"))
    yield* stage.waitUntil("all were at work", () => jobs.every(({ jobId }) => stage.begun(jobId) === 1))
    yield* first.freeze
    const second = yield* stage.start(wish)
    yield* second.heard("started")
    yield* stage.waitUntil(
      "the frozen host's work was adopted",
      ({ events }) =>
        events.filter(
          ({ event, transitionReason }) => event === "abandon" && transitionReason === "host_lost"
        ).length === 6,
      leaseMillis * 3
    )
    yield* stage.waitUntil("it went again", () => jobs.every(({ jobId }) => stage.begun(jobId) === 2))
    yield* stage.letGo
    yield* stage.everythingDone()
    const written = stage.history.events.length
    yield* first.thaw
    const ended = yield* first.heard("ended")
    yield* insist(ended.code === "ORCH_HOST_FENCED", `the thawed host ended with ${ended.code}`)
    yield* first.ended
    yield* stage.look
    const late = stage.history.events.slice(written).filter(({ actor }) => actor === `host:${host}`)
    yield* insist(late.length === 0, `the thawed host wrote ${late.map(({ event }) => event).join(", ")}`)
  })
}

const frozenLanding: Scenario = {
  name: "frozen-landing",
  promise:
    "A host frozen in its landing lands nothing when it wakes: the next one asked the target, and landed with a newer token",
  share: 0,
  play: Effect.fnUntraced(function* (stage) {
    const wish = { slots: 2, leaseMillis }
    const first = yield* stage.start({ ...wish, fault: { point: "land:inside", nth: 1, signal: "SIGSTOP" } })
    yield* first.heard("started")
    yield* stage.submit([{ workflow: "function", name: "landing" }])
    yield* first.heard("fault")
    const second = yield* stage.start(wish)
    yield* second.heard("started")
    yield* stage.everythingDone()
    yield* first.thaw
    const ended = yield* first.heard("ended")
    yield* insist(ended.code === "ORCH_HOST_FENCED", `the thawed host ended with ${ended.code}`)
    yield* first.ended
  })
}

const handedBack: Scenario = {
  name: "stopped-at-work",
  promise: "A graceful stop hands work back at once, unburnt, instead of waiting for the lease",
  share: 0,
  play: Effect.fnUntraced(function* (stage) {
    const host = yield* stage.start({ slots: 6 })
    const jobs = yield* stage.submit(mixed(6, "stopped", "waits"))
    yield* stage.waitUntil("all were at work", () => jobs.every(({ jobId }) => stage.begun(jobId) === 1))
    const at = performance.now()
    const { code } = yield* host.stop
    stage.remark(`stopped in ${Math.round(performance.now() - at)} ms`)
    yield* insist(code === 0, `the host ended with ${code}`)
    yield* insist(stage.agentsOf().length === 0, "an agent survived the stop of its host")
    yield* stage.start({ slots: 6, expectsWork: true })
    yield* stage.waitUntil("all went again", () => jobs.every(({ jobId }) => stage.begun(jobId) === 2), 5_000)
    yield* stage.letGo
    yield* stage.everythingDone()
    const stored = yield* Effect.orDie(Effect.forEach(jobs, ({ jobId }) => stage.store.job(jobId)))
    yield* insist(
      stored.every(({ job }) => job.retryCount === 0),
      "a stop has burnt an attempt"
    )
  })
}

export const hosts: ReadonlyArray<Scenario> = [
  splitAndAdopt,
  takeTurns,
  startedAgain,
  handedBack,
  frozen,
  frozenLanding
]
