/** A plan from a seed. */
import { Chance } from "./Chance.ts"
import type {
  Act,
  Answer,
  End,
  HostPlan,
  JobPlan,
  Life,
  Plan,
  StepPlan,
  StoreTrouble,
  WorkflowPlan
} from "./Plan.ts"

const drawEnd = (chance: Chance): End =>
  chance.weigh<() => End>([
    [10, () => ({ _tag: "Succeed" })],
    [4, () => ({ _tag: "Fail", code: "EXT_FLAKY", retryAfterMillis: null })],
    [1, () => ({ _tag: "Fail", code: "ORCH_RETRYABLE_AGENT_CRASHED", retryAfterMillis: null })],
    [1, () => ({ _tag: "Fail", code: "EXT_LIMITED", retryAfterMillis: chance.span(1, 2_000) })],
    [
      1,
      () => ({ _tag: "Fail", code: chance.pick(["DQ_BAD", "DQ_PLAIN", "UNKNOWN"]), retryAfterMillis: null })
    ],
    [1, () => ({ _tag: "Die" })],
    [1, () => ({ _tag: "InterruptItself" })],
    [0.5, () => ({ _tag: "KillHost" })],
    [2, () => ({ _tag: "Silent" })],
    [1, () => ({ _tag: "Endless" })],
    [1, () => ({ _tag: "Empty" })],
    [1, () => ({ _tag: "Misfit" })]
  ])()

/** Mostly well: else no job would get far enough to meet the rest. */
const drawAnswer = (chance: Chance): Answer =>
  chance.weigh([
    [30, "well"],
    [2, "slow"],
    [1, "breaks"],
    [2, "breaks once"],
    [1, "throws"],
    [1, "never"]
  ])

const drawStep = (chance: Chance, name: string): StepPlan => ({
  name,
  scope: chance.is(0.7) ? "job" : "attempt",
  millis: chance.is(0.3) ? 0 : chance.span(1, 500),
  how: chance.weigh([
    [8, "well"],
    [1, "fails undone"],
    [1, "fails before"],
    [1, "fails after"],
    [1, "never"]
  ])
})

const drawLife = (chance: Chance): Life => ({
  prepare: drawAnswer(chance),
  sentinel: drawAnswer(chance),
  steps: ["a", "b"].slice(0, chance.is(0.6) ? 0 : chance.int(1, 2)).map((name) => drawStep(chance, name)),
  workMillis: chance.is(0.2) ? 0 : chance.span(1, 2_000),
  end: drawEnd(chance),
  resistMillis: chance.is(0.1) ? chance.span(10, 6_000) : 0,
  cleanUpMillis: chance.is(0.15) ? chance.span(1, 4_000) : 0,
  gate: chance.is(0.1) ? "rejects" : drawAnswer(chance),
  land: chance.is(0.75)
    ? "well"
    : chance.is(0.4)
      ? drawAnswer(chance)
      : chance.pick(["conflicts", "conflicts once", "fails after", "never after"]),
  found: chance.weigh([
    [4, "truth"],
    [1, "unknown"],
    [1, "breaks"]
  ]),
  archive: drawAnswer(chance),
  remove: chance.is(0.1) ? "keeps" : drawAnswer(chance)
})

const drawWorkflow = (chance: Chance, name: string): WorkflowPlan => ({
  name,
  workspace: chance.is(0.5),
  gate: chance.is(0.5),
  lander: chance.is(0.5),
  unknown: chance.pick(["rerun", "fail", "ask"]),
  silenceMillis: chance.span(500, 2_000),
  workMillis: chance.span(1_500, 5_000)
})

const drawHost = (chance: Chance): HostPlan => ({
  slots: chance.int(1, 4),
  stopMillis: chance.span(500, 6_000),
  drainMillis: chance.is(0.7) ? 0 : chance.span(100, 2_000),
  partly: chance.is(0.15)
})

const drawJob = (chance: Chance, n: number, workflows: Plan["workflows"], horizon: number): JobPlan => ({
  n,
  at: chance.is(0.4) ? 0 : chance.int(0, horizon),
  workflow: chance.pick(workflows).name,
  priority: chance.is(0.7) ? 0 : chance.int(-2, 2),
  maxRetries: chance.int(0, 4),
  delayMillis: chance.is(0.8) ? 0 : chance.span(1, 3_000),
  misfit: chance.is(0.04),
  byOperator: chance.is(0.2),
  // Life after life it kills its host, or fails as chance will have it; the later ones go well.
  lives: chance.is(0.02)
    ? Array.from({ length: 8 }, () => ({ ...drawLife(chance), end: { _tag: "KillHost" as const } }))
    : Array.from({ length: chance.int(0, 4) }, () => drawLife(chance))
})

const drawAct = (chance: Chance, at: number, jobs: number): Act => {
  const n = chance.int(1, jobs)
  const host = chance.int(0, 5)
  const byOperator = chance.is(0.5)
  return chance.weigh<() => Act>([
    [6, () => ({ _tag: "Start", at, host: drawHost(chance) })],
    [3, () => ({ _tag: "Stop", at, host })],
    [4, () => ({ _tag: "Crash", at, host, seen: chance.is(0.6) })],
    [3, () => ({ _tag: "Freeze", at, host, millis: chance.span(50, 8_000) })],
    [1, () => ({ _tag: "Suspend", at, millis: chance.span(500, 20_000) })],
    [
      2,
      () => ({
        _tag: "Jump",
        at,
        millis: chance.is(0.5) ? chance.span(10, 3_600_000) : -chance.span(10, 5_000)
      })
    ],
    [2, () => ({ _tag: "Lock", at, millis: chance.span(10, 6_000) })],
    [2, () => ({ _tag: "Full", at, millis: chance.span(10, 6_000) })],
    [6, () => ({ _tag: "Cancel", at, n, byOperator })],
    [3, () => ({ _tag: "Duplicate", at, n, same: chance.is(0.7) })],
    [1, () => ({ _tag: "Settle", at })],
    [2, () => ({ _tag: "Await", at, n, host })],
    [2, () => ({ _tag: "Replay", at, n, host })],
    [1, () => ({ _tag: "Pause", at, byOperator })],
    [2, () => ({ _tag: "Resume", at, byOperator })],
    [1, () => ({ _tag: "Drain", at, host: chance.is(0.5) ? host : null })],
    [1, () => ({ _tag: "Scale", at, slots: chance.is(0.3) ? null : chance.int(1, 5) })],
    [1, () => ({ _tag: "Audit", at })]
  ])()
}

const drawTrouble = (chance: Chance): StoreTrouble => ({
  latencyMillis: chance.is(0.5) ? 0 : chance.span(1, 60),
  busy: chance.is(0.6) ? 0 : chance.next() * 0.3,
  brokenBefore: chance.is(0.7) ? 0 : chance.next() * 0.1,
  brokenAfter: chance.is(0.7) ? 0 : chance.next() * 0.1
})

/** The same seed gives the same plan. */
export const drawPlan = (seed: number): Plan => {
  const chance = new Chance(seed)
  const horizon = chance.span(300, 8_000)
  const workflows: Plan["workflows"] = [
    drawWorkflow(chance.fork("workflow 1"), "one"),
    ...(chance.is(0.4) ? [drawWorkflow(chance.fork("workflow 2"), "two")] : [])
  ]
  const jobs = Array.from({ length: chance.int(1, 10) }, (_, index) =>
    drawJob(chance.fork(`job ${index + 1}`), index + 1, workflows, horizon)
  )
  const acts = Array.from({ length: chance.int(0, 8) }, (_, index) => {
    const mine = chance.fork(`act ${index + 1}`)
    return drawAct(mine, mine.int(0, horizon), jobs.length)
  }).toSorted((one, other) => one.at - other.at)
  return {
    seed,
    workflows,
    host: { ...drawHost(chance.fork("host")), partly: false },
    jobs,
    acts,
    trouble: drawTrouble(chance.fork("store")),
    repeated: chance.is(0.6) ? 0 : chance.next() * 0.6,
    calmAt: horizon
  }
}
