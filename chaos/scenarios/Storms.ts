/**
 * Agents that misbehave, in crowds, and plugins that break: each costs its own job alone.
 */
import { Effect } from "effect"
import type { Wanted } from "../harness/Jobs.ts"
import type { Stage } from "../harness/Stage.ts"
import type { Behaviour, WorkflowName } from "../HostProtocol.ts"
import { Broken, type Scenario } from "../Scenario.ts"

const insist = (holds: boolean, detail: string) => (holds ? Effect.void : Effect.fail(new Broken({ detail })))

const crowd = (
  count: number,
  workflow: WorkflowName,
  behaviour: Behaviour,
  times = 1,
  when = ""
): ReadonlyArray<Wanted> =>
  Array.from({ length: count }, (_, index) => ({
    workflow,
    behaviour,
    times,
    name: `${when}${workflow} ${behaviour} ${index}`,
    millis: 30
  }))

const storm: Scenario = {
  name: "agent-storms",
  promise:
    "Agents that fail, crash, fall silent, fork and are turned down end by their codes, and no process of theirs survives",
  share: 0,
  play: Effect.fnUntraced(function* (stage) {
    const host = yield* stage.start({ slots: 10, silenceMillis: 1_500 })
    yield* host.heard("started")
    const behaviours = ["flaky", "hopeless", "crashes", "silent", "rejected", "forks"] as const
    for (const behaviour of behaviours) {
      const times = behaviour === "forks" ? 0 : 1
      yield* stage.submit(crowd(6, "function", behaviour, times))
      yield* stage.submit(crowd(6, "program", behaviour, times))
    }
    yield* host.ask({ ask: "delay" })
    yield* stage.everythingDone(120_000)
    const { delay } = yield* host.ask({ ask: "delay" })
    stage.remark(`event loop p99 ${delay?.p99} ms, max ${delay?.max} ms`)
    yield* insist(
      stage.agentsOf().length === 0,
      `${stage.agentsOf().length} processes of agents live on under their host`
    )
  })
}

const stubborn: Scenario = {
  name: "stubborn-agent",
  promise:
    "A cancelled agent that forks and ignores TERM is gone within its grace, and nothing else is disturbed",
  share: 0,
  play: Effect.fnUntraced(function* (stage) {
    const host = yield* stage.start({ slots: 4, stopMillis: 4_000 })
    yield* host.heard("started")
    const others = yield* stage.submit(crowd(2, "program", "waits"))
    const jobs = yield* stage.submit([
      ...crowd(1, "program", "stubborn"),
      ...crowd(1, "function", "stubborn")
    ])
    yield* stage.waitUntil("all were at work", () =>
      [...others, ...jobs].every(({ jobId }) => stage.begun(jobId) === 1)
    )
    const program = jobs[0]?.jobId ?? ""
    const at = performance.now()
    for (const { jobId } of jobs) {
      const { failed } = yield* host.ask({ ask: "cancel", job: jobId })
      yield* insist(failed === undefined, `its cancel was answered with ${failed}`)
    }
    yield* stage.waitUntil("the agents were tombstoned", () => jobs.every(({ jobId }) => stage.isDone(jobId)))
    stage.remark(`tombstoned after ${Math.round(performance.now() - at)} ms`)
    yield* insist(stage.agentsOf(program).length === 0, "its processes live on")
    yield* insist(
      others.every(({ jobId }) => stage.begun(jobId) === 1 && stage.agentsOf(jobId).length > 0),
      "another agent was disturbed"
    )
    yield* stage.letGo
    yield* stage.everythingDone()
  })
}

const killedAgents: Scenario = {
  name: "killed-agents",
  promise: "An agent whose process is killed has crashed: its attempt is burnt, and the next one lands",
  share: 0,
  play: Effect.fnUntraced(function* (stage) {
    yield* stage.start({ slots: 8 })
    const jobs = yield* stage.submit(crowd(8, "program", "waits"))
    yield* stage.waitUntil("all were at work", () => jobs.every(({ jobId }) => stage.begun(jobId) === 1))
    for (const { jobId } of jobs) yield* stage.killAgent(jobId)
    yield* stage.letGo
    yield* stage.everythingDone()
    const stored = yield* Effect.orDie(Effect.forEach(jobs, ({ jobId }) => stage.store.job(jobId)))
    yield* insist(
      stored.every(({ job }) => job.retryCount === 1 && job.lastErrorCode === "ORCH_RETRYABLE_AGENT_CRASHED"),
      "a killed agent was not told as crashed, once"
    )
  })
}

/** Works beside a broken plugin; what needs the plugin may end in a letter, and nothing else. */
const beside = Effect.fnUntraced(function* (stage: Stage, plugin: "gate" | "workspaces" | "lander") {
  yield* stage.breakPlugin(plugin)
  const when = `${plugin} broken, `
  const hit = yield* stage.submit(crowd(3, "function", "works", 1, when))
  for (const { jobId, wanted } of hit) stage.know({ jobId, wanted, expected: [] })
  const free = yield* stage.submit(crowd(3, "bare", "works", 1, when))
  yield* stage.waitUntil(
    `jobs that need no ${plugin} were done`,
    () => free.every(({ jobId }) => stage.isDone(jobId)),
    10_000
  )
  yield* stage.waitUntil(`the ${plugin} had told of itself`, ({ jobs }) =>
    hit.some(({ jobId }) => jobs.get(jobId)?.events.some(({ errorCode }) => errorCode !== null) === true)
  )
  yield* stage.mendPlugin(plugin)
})

const brokenPlugins: Scenario = {
  name: "broken-plugins",
  promise: "A defect in a plugin becomes an error with its name and costs its own job alone",
  share: 0,
  play: Effect.fnUntraced(function* (stage) {
    const host = yield* stage.start({ slots: 4 })
    yield* host.heard("started")
    for (const plugin of ["gate", "workspaces", "lander"] as const) yield* beside(stage, plugin)
    yield* stage.submit(crowd(3, "function", "works"))
    yield* stage.everythingDone()
    yield* insist(!host.isOver(), "the host ended over a broken plugin")
  })
}

export const storms: ReadonlyArray<Scenario> = [storm, stubborn, killedAgents, brokenPlugins]
