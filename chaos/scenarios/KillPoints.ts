/**
 * Kill -9 at every named step of a job's life, before, inside and after each commit, and around each call of a plugin: for agents that
 * are functions and agents that are programs. One store for all shots, so that each start finds what the kill before it has left.
 */
import { Effect } from "effect"
import type { Stage } from "../harness/Stage.ts"
import type { CommitName } from "../host/CommitNames.ts"
import type { Behaviour, WorkflowName } from "../HostProtocol.ts"
import type { Scenario } from "../Scenario.ts"

interface Shot {
  readonly point: string
  readonly nth: number
  /** What the jobs do that lead there. */
  readonly behaviour: Behaviour
  /** Armed from the start of the host, which has lost work to take over. */
  readonly early: boolean
  /** The jobs are cancelled at work. */
  readonly cancels: boolean
}

const around = (name: string, ...more: ReadonlyArray<string>) => [
  `${name}:before`,
  ...more.map((where) => `${name}:${where}`),
  `${name}:after`
]
const commit = (name: CommitName) => around(`commit.${name}`, "inside", "unanswered")

const withPlugins = [
  ...around("prepare"),
  ...around("check"),
  ...around("work", "line"),
  ...commit("worked"),
  ...around("gate"),
  ...commit("landing"),
  ...around("land", "inside", "done"),
  ...around("archive"),
  ...commit("archived"),
  ...around("remove")
]

const onTheWay: { readonly [Name in WorkflowName]: ReadonlyArray<string> } = {
  function: [
    ...commit("submitted"),
    ...commit("dispatched"),
    ...commit("prepared"),
    ...withPlugins,
    ...commit("landed"),
    ...commit("tombstoned")
  ],
  program: [
    ...commit("dispatched"),
    ...commit("prepared"),
    ...around("spawn"),
    ...withPlugins,
    ...commit("landed"),
    ...commit("tombstoned")
  ],
  bare: [...commit("dispatched"), ...around("work", "line"), ...commit("landed")]
}

const failing: ReadonlyArray<readonly [Behaviour, ReadonlyArray<string>]> = [
  ["flaky", [...commit("retried"), ...commit("recovered")]],
  ["hopeless", commit("quarantined")]
]

/** What a host does before it takes new work. */
const recovering = [
  ...around("enlist"),
  ...around("fence.fenced"),
  ...around("orphans"),
  ...commit("adopted"),
  ...commit("recovered")
]

/** What the host decides of all jobs in one turn has one commit, so that no third one comes. */
const isOften = (point: string): boolean => !/^commit\.(landing|archived)/.test(point)

const shotsOf = (workflow: WorkflowName, nth: number): ReadonlyArray<Shot> => [
  ...onTheWay[workflow].map((point): Shot => ({
    point,
    nth,
    behaviour: "works",
    early: false,
    cancels: false
  })),
  ...failing.flatMap(([behaviour, points]) =>
    points.map((point): Shot => ({ point, nth, behaviour, early: false, cancels: false }))
  ),
  ...commit("cancelled").map((point): Shot => ({
    point,
    nth,
    behaviour: "works",
    early: false,
    cancels: true
  })),
  ...recovering.map((point): Shot => ({ point, nth: 1, behaviour: "works", early: true, cancels: false }))
]

const jobsAShot = 3

/** Long where it is to be at work still when the next host comes, so that it has to be found and ended. */
const millisOf = ({ cancels, point }: Shot): number =>
  cancels || /^(spawn:after|work:line)/.test(point) ? 1_500 : 20

/** Fires one shot; answers whether the point was reached. */
const fire = Effect.fnUntraced(function* (stage: Stage, workflow: WorkflowName, number: number, shot: Shot) {
  const fault = { point: shot.point, nth: shot.nth, signal: "SIGKILL" } as const
  const jobs = Array.from({ length: jobsAShot }, (_, job) => ({
    workflow,
    name: `${number}.${job} ${shot.point}#${shot.nth}`,
    behaviour: shot.behaviour,
    mayBeCancelled: shot.cancels,
    millis: millisOf(shot)
  }))
  if (shot.early) {
    const lost = yield* stage.start()
    yield* lost.heard("started")
    yield* lost.arm({ point: "work:line", nth: jobsAShot, signal: "SIGKILL" })
    yield* stage.submit(jobs.map((job) => ({ ...job, millis: 150 })))
    yield* lost.ended
    stage.counted()
    const host = yield* stage.start({ fault })
    yield* Effect.raceFirst(host.ended, stage.everythingDone())
    return yield* settle(stage, host)
  }
  const host = yield* stage.start({ expectsWork: number > 1 })
  yield* host.heard("started")
  // What the shot before has left goes first: a job is not to be hit by many.
  yield* stage.everythingDone()
  yield* host.arm(fault)
  // In one unit from outside; or one by one through the host, so that each has commits of its own.
  if (shot.nth === 1 && !shot.point.startsWith("commit.submitted")) yield* stage.submit(jobs)
  else for (const job of jobs) yield* stage.submitTo(host, job)
  if (shot.cancels) {
    yield* stage.waitUntil("all were at work", () => jobs.every(({ name }) => stage.isAtWork(name)))
    for (const jobId of jobs.flatMap(({ name }) => stage.idOf(name) ?? []))
      yield* Effect.ignore(host.ask({ ask: "cancel", job: jobId }))
  }
  yield* Effect.raceFirst(host.ended, stage.everythingDone())
  return yield* settle(stage, host)
})

/** A host that passed by its point is killed as well, at whatever it does. */
const settle = Effect.fnUntraced(function* (stage: Stage, host: Effect.Success<ReturnType<Stage["start"]>>) {
  const isReached = host.news().some(({ at }) => at === "fault")
  if (isReached) {
    yield* host.ended
    stage.counted()
  } else yield* stage.kill(host)
  return isReached
})

const make = (workflow: WorkflowName, share: number): Scenario => ({
  name: `kill-points-${workflow}`,
  promise: "A kill -9 at any step loses nothing and doubles nothing",
  share,
  play: Effect.fnUntraced(function* (stage, { kills, seed }) {
    const rounds = [1, 2, 3].flatMap((nth) =>
      shotsOf(workflow, nth).filter(({ point }) => nth < 3 || isOften(point))
    )
    // A short run begins elsewhere with each seed, and steps far enough to see all kinds of points.
    const step = Math.max(1, Math.floor(rounds.length / Math.max(1, kills)))
    const shots = rounds.map((_, index) => rounds[(seed + index * step) % rounds.length])
    const missed: Array<string> = []
    for (const [index, shot] of shots.entries()) {
      if (shot === undefined || stage.figures().kills >= kills) break
      const isReached = yield* Effect.scoped(fire(stage, workflow, index + 1, shot))
      if (!isReached) missed.push(`${shot.point}#${shot.nth}`)
    }
    if (missed.length > 0) stage.remark(`not reached: ${missed.join(" ")}`)
  })
})

export const killPoints: ReadonlyArray<Scenario> = [
  make("function", 0.38),
  make("program", 0.4),
  make("bare", 0.12)
]
