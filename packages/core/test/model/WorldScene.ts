// Worlds of two hosts to hold the invariants to: stories by acts, and the tools to break them.
import { assert } from "@effect/vitest"
import type { Agent } from "../../src/domain/Agent.ts"
import type { Job } from "../../src/domain/Job.ts"
import { walkRules } from "../../src/model/walks/FleetWalks.ts"
import type { Act } from "../../src/model/world/Act.ts"
import type { AlarmName } from "../../src/model/world/Alarm.ts"
import { step } from "../../src/model/world/Step.ts"
import {
  alarm,
  create,
  type Host,
  type Stored,
  type World,
  withHost,
  withStored
} from "../../src/model/world/World.ts"
import { compiled } from "../turn/Scene.ts"

/** DQ_WORLD rests in FAILED. */
export const rules = walkRules(await compiled([{ code: "DQ_WORLD", quarantine: false }]))

const enlist = (host: number): Act => ({ _tag: "Enlist", host })
export const submit = (workflowType: string): Act => ({
  _tag: "Submit",
  workflowType,
  payload: "1",
  priority: 0,
  maxRetries: 1,
  delayMillis: 0
})
export const turn = (epoch = 1): Act => ({ _tag: "Turn", epoch, most: 100 })
export const finish = (outcome: string, seq = 1): Act => ({ _tag: "Finish", epoch: 1, seq, outcome })

export const happen = (world: World, ...acts: ReadonlyArray<Act>): World => acts.reduce(step, world)

export const idle = happen(create(rules), enlist(1), enlist(2))

/** Host 1 has begun job 1 of this workflow. */
export const begun = (workflowType: string): World => happen(idle, submit(workflowType), turn())

/** Job 1 of a workflow without plugins, after each of its phases in turn ended well, as far as its tombstone. */
export const done = (workflowType: string): World => {
  let world = begun(workflowType)
  for (const outcome of ["done", "passed", "landed", "archived", "removed"]) {
    const { phase } = world.hosts[0]?.fibers.get(1) ?? {}
    if (phase !== phaseThatEnds[outcome]) continue
    world = happen(world, finish(outcome), turn())
  }
  return world
}

const phaseThatEnds: { readonly [outcome: string]: string } = {
  done: "work",
  passed: "verify",
  landed: "land",
  archived: "archive",
  removed: "clean"
}

export const storedOf = (world: World, seq = 1): Stored => {
  const stored = world.jobs.get(seq)
  assert.isDefined(stored)
  return stored
}

export const hostOf = (world: World, host = 1): Host => {
  const found = world.hosts.find((one) => one.host === host)
  assert.isDefined(found)
  return found
}

export const withRecord = (world: World, patch: Partial<Stored>, seq = 1): World =>
  withStored(world, { ...storedOf(world, seq), ...patch })

export const withJob = (world: World, patch: Partial<Job>, seq = 1): World =>
  withRecord(world, { job: { ...storedOf(world, seq).job, ...patch } }, seq)

export const withAgent = (world: World, patch: Partial<Agent>): World => {
  const { agent } = storedOf(world).job
  assert.isNotNull(agent)
  return withJob(world, { agent: { ...agent, ...patch } })
}

export const changedHost = (world: World, patch: Partial<Host>, host = 1): World =>
  withHost(world, { ...hostOf(world, host), ...patch })

/** What only the moment shows. */
export const rung = (name: AlarmName): World => alarm(idle, name, "something has happened")
