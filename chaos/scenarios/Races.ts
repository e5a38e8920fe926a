/**
 * Many who want the same at the same time: one key from fibers and processes in every state of its job, cancels against the claim and
 * against the landing.
 */
import type { JobState } from "@muster/core"
import { Effect } from "effect"
import { payloadOf, type Wanted } from "../harness/Jobs.ts"
import type { Stage } from "../harness/Stage.ts"
import { Broken, type Scenario } from "../Scenario.ts"
import { between, chance } from "./Chance.ts"

const insist = (holds: boolean, detail: string) => (holds ? Effect.void : Effect.fail(new Broken({ detail })))

type Host = Effect.Success<ReturnType<Stage["start"]>>

const fibers = 50
const processes = 3
const timesAProcess = 10

/** Everybody hands in the same at once; answers the one job that all were told of. */
const storm = Effect.fnUntraced(function* (stage: Stage, host: Host, wanted: Wanted) {
  const payload = payloadOf(wanted)
  const [asked, ...printed] = yield* Effect.all(
    [
      host.ask({ ask: "submit", workflow: wanted.workflow, payload, key: wanted.name, fibers }),
      ...Array.from({ length: processes }, () => stage.submitter(wanted, timesAProcess))
    ],
    { concurrency: "unbounded" }
  )
  const answers = [
    ...(asked.submitted ?? []).map(({ duplicate, jobId }) => ({ jobId, isNew: !duplicate })),
    ...printed.flat()
  ]
  yield* insist(
    answers.length === fibers + processes * timesAProcess,
    `${answers.length} answers to the submissions of ${wanted.name}${asked.failed === undefined ? "" : `: ${asked.failed}`}`
  )
  const ids = new Set(answers.map(({ jobId }) => jobId))
  yield* insist(ids.size === 1, `one key, ${ids.size} jobs: ${Array.from(ids).join(", ")}`)
  return { jobId: answers[0]?.jobId ?? "", made: answers.filter(({ isNew }) => isNew).length }
})

interface Station {
  readonly state: JobState
  readonly wanted: Omit<Wanted, "name" | "workflow">
  /** Brings the job from its submission to the state. */
  readonly reach: (stage: Stage, host: Host, jobId: string) => Effect.Effect<void, Broken>
}

const inState = (stage: Stage, jobId: string, state: JobState) =>
  stage.waitUntil(`${jobId} was ${state}`, ({ jobs }) => jobs.get(jobId)?.state === state)

const later = 3_600_000

const cancelled = (stage: Stage, host: Host, jobId: string) =>
  Effect.andThen(host.ask({ ask: "cancel", job: jobId }), inState(stage, jobId, "CANCELLED"))

const stations: ReadonlyArray<Station> = [
  { state: "PENDING", wanted: { runAt: Date.now() + later, mayBeCancelled: true }, reach: () => Effect.void },
  {
    state: "PROCESSING",
    wanted: { behaviour: "waits" },
    reach: (stage, _, jobId) => stage.waitUntil(`${jobId} was at work`, () => stage.begun(jobId) === 1)
  },
  {
    state: "RETRY_SCHEDULED",
    wanted: { behaviour: "flaky", times: 3 },
    reach: (stage, _, jobId) => inState(stage, jobId, "RETRY_SCHEDULED")
  },
  { state: "COMPLETED", wanted: {}, reach: (stage, _, jobId) => inState(stage, jobId, "COMPLETED") },
  {
    state: "DEAD_LETTERED",
    wanted: { behaviour: "hopeless" },
    reach: (stage, _, jobId) => inState(stage, jobId, "DEAD_LETTERED")
  },
  { state: "CANCELLED", wanted: { behaviour: "waits", mayBeCancelled: true }, reach: cancelled }
]

const oneKey: Scenario = {
  name: "one-key",
  promise:
    "50 fibers and 3 processes that submit one key, in every state of its job, make one job with one live attempt and one result",
  share: 0,
  play: Effect.fnUntraced(function* (stage) {
    const host = yield* stage.start({ slots: 8 })
    yield* host.heard("started")
    for (const [workflow, told] of [
      ["function", stations],
      ["program", stations.filter(({ state }) => state === "PROCESSING" || state === "RETRY_SCHEDULED")]
    ] as const) {
      const fresh = yield* storm(stage, host, { workflow, name: `${workflow} from nothing` })
      yield* insist(fresh.made === 1, `one key was answered as new ${fresh.made} times`)
      for (const { reach, state, wanted } of told) {
        const job = { ...wanted, workflow, name: `${workflow} ${state}` }
        const [first] = yield* stage.submit([job])
        const jobId = first?.jobId ?? ""
        yield* reach(stage, host, jobId)
        const again = yield* storm(stage, host, job)
        yield* insist(
          again.jobId === jobId && again.made === 0,
          `${state}: ${jobId} was answered as ${again.jobId}`
        )
        yield* insist(
          stage.agentsOf(jobId).filter(({ command }) => command.includes("agent.sh")).length <= 1,
          `${state}: ${jobId} has more than one live attempt`
        )
        if (state === "PENDING") yield* cancelled(stage, host, jobId)
      }
    }
    yield* stage.letGo
    yield* stage.everythingDone()
  })
}

const cancels: Scenario = {
  name: "cancel-races",
  promise: "Cancel against claim and landing: one of them wins, and a job that landed is COMPLETED",
  share: 0,
  play: Effect.fnUntraced(function* (stage, { seed }) {
    const next = chance(seed)
    const pair = [yield* stage.start({ slots: 4 }), yield* stage.start({ slots: 4 })] as const
    for (const host of pair) yield* host.heard("started")
    const told = { cancelled: 0, late: 0 }
    for (let round = 0; round < 12; round++) {
      const jobs = yield* stage.submit(
        Array.from({ length: 8 }, (_, index): Wanted => ({
          workflow: index % 2 === 0 ? "function" : "program",
          name: `race ${round} ${index}`,
          millis: between(next, 0, 60),
          mayBeCancelled: true
        }))
      )
      yield* Effect.forEach(
        jobs,
        ({ jobId }) =>
          Effect.gen(function* () {
            yield* Effect.sleep(between(next, 0, 220))
            // Any host may be asked, whoever owns the job.
            const { failed } = yield* pair[between(next, 0, 1) === 0 ? 0 : 1].ask({
              ask: "cancel",
              job: jobId
            })
            if (failed === undefined) {
              told.cancelled += 1
              yield* stage.waitUntil(
                `${jobId}, told as cancelled, was CANCELLED`,
                ({ jobs: all }) => all.get(jobId)?.state === "CANCELLED",
                2_000
              )
            } else if (failed === "ORCH_CANCEL_TOO_LATE") told.late += 1
            else return yield* new Broken({ detail: `cancel of ${jobId} was answered with ${failed}` })
          }),
        { concurrency: "unbounded" }
      )
    }
    stage.remark(`${told.cancelled} cancelled, ${told.late} too late`)
    yield* stage.everythingDone()
    yield* insist(told.cancelled > 0 && told.late > 0, "the race was won by one side alone")
  })
}

export const races: ReadonlyArray<Scenario> = [oneKey, cancels]
