/**
 * Kill -9 around the step that an agent may do once: before its start is durable, between start and effect, between effect and result, and
 * after. Where nobody can know, the job is parked, and the operator's answer is what the world says.
 */
import { Effect } from "effect"
import type { WorkflowName } from "../HostProtocol.ts"
import { Broken, type Scenario } from "../Scenario.ts"

const around = (name: string) =>
  ["before", "inside", "unanswered", "after"].map((where) => `commit.${name}:${where}`)

const commits = [...around("begun"), ...around("done")]

const points: { readonly [Name in WorkflowName]?: ReadonlyArray<string> } = {
  function: [...commits, "once:before", "once:done"],
  program: commits
}

const jobsAShot = 3

const make = (workflow: "function" | "program"): Scenario => ({
  name: `once-steps-${workflow}`,
  promise:
    "An external write happens once; one of which nobody knows whether it happened parks its job until an operator says",
  share: 0.06,
  play: Effect.fnUntraced(function* (stage, { kills, seed }) {
    const told = points[workflow] ?? []
    const questions = new Set<string>()
    for (let shot = 0; shot < kills; shot++) {
      const point = told[(seed + shot) % told.length] ?? ""
      const host = yield* stage.start({ expectsWork: shot > 0 })
      yield* host.heard("started")
      yield* stage.everythingSettled(host, (jobId) => questions.add(jobId))
      yield* host.arm({ point, nth: 1 + (Math.floor(shot / told.length) % jobsAShot), signal: "SIGKILL" })
      yield* stage.submit(
        Array.from({ length: jobsAShot }, (_, job) => ({
          workflow,
          name: `${shot}.${job} ${point}`,
          behaviour: "writes" as const,
          millis: 10 * job
        }))
      )
      yield* Effect.raceFirst(
        host.ended,
        stage.everythingSettled(host, (jobId) => questions.add(jobId))
      )
      if (host.isOver()) stage.counted()
      else yield* stage.kill(host)
    }
    const last = yield* stage.start({ expectsWork: true })
    yield* last.heard("started")
    yield* stage.everythingSettled(last, (jobId) => questions.add(jobId))
    stage.remark(`${questions.size} questions to the operator`)
    if (kills >= told.length && questions.size === 0)
      return yield* new Broken({ detail: "no kill between a step's start and its end left a question" })
    return undefined
  })
})

export const steps: ReadonlyArray<Scenario> = [make("function"), make("program")]
