import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { HostRegister } from "../../src/domain/audit/HostRegister.ts"
import type { LifecycleEvent } from "../../src/domain/LifecycleEvent.ts"
import type { Act } from "../../src/model/world/Act.ts"
import { choose } from "../../src/model/world/Acts.ts"
import { step } from "../../src/model/world/Step.ts"
import { create, type Rules, type Stored, type World } from "../../src/model/world/World.ts"
import { compiled, workflows } from "../turn/Scene.ts"
import { auditOf, eventsOf } from "./World.ts"

const catalogue = await compiled([{ code: "DQ_WORLD", quarantine: false }])
const rules: Rules = { catalogue, workflows, seed: 7, slots: 2 }
const bounds = { jobs: 15, hosts: 2 }

const number = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9_973 }))
const Walk = Arbitrary.array(Arbitrary.schema(Schema.Struct({ dice: number, pick: number })), {
  minLength: 120,
  maxLength: 250
})
const runs = { arbitrary: { runs: 40, size: 250 }, timeout: 60_000 }

const begin = (): World =>
  ([1, 2] as const).reduce((world, host) => step(world, { _tag: "Enlist", host }), create(rules))

/** Nothing about any job of the world is wrong, save that lost hosts are not adopted from yet. */
const clean = (world: World, acts: ReadonlyArray<Act>): void => {
  for (const stored of world.jobs.values()) {
    const faults = auditOf(world, stored).filter(({ severity }) => severity === "fault")
    if (faults.length > 0)
      assert.fail([...faults, "after", ...acts].map((part) => JSON.stringify(part)).join("\n"))
  }
}

/** A world of one host and one job, and the acts of the named tags that happen to it, each as it is enabled first. */
const story = (...tags: ReadonlyArray<readonly [Act["_tag"], string?]>): readonly [World, Stored] => {
  let world = step(create(rules), { _tag: "Enlist", host: 1 })
  const work = { workflowType: "plain", payload: "1", priority: 0, maxRetries: 2, delayMillis: 0 }
  world = step(world, { _tag: "Submit", ...work })
  for (const [tag, outcome = ""] of tags) {
    if (tag === "Turn") world = step(world, { _tag: tag, epoch: 1, most: 100 })
    if (tag === "Finish") world = step(world, { _tag: tag, epoch: 1, seq: 1, outcome })
    if (tag === "Wait") world = step(world, { _tag: tag, millis: 60_000 })
  }
  const stored = world.jobs.get(1)
  assert.isDefined(stored)
  return [world, stored]
}

const landed = story(["Turn"], ["Finish", "done"], ["Turn"])
const retrying = story(["Turn"], ["Finish", "failed"], ["Turn"])

const rulesOf = (found: ReturnType<typeof auditOf>): ReadonlyArray<string> => found.map(({ rule }) => rule)

const without = (events: ReadonlyArray<LifecycleEvent>, name: string): ReadonlyArray<LifecycleEvent> =>
  events.filter(({ event }) => event !== name)

const changed = (
  events: ReadonlyArray<LifecycleEvent>,
  patch: (event: LifecycleEvent, index: number) => Partial<LifecycleEvent>
): ReadonlyArray<LifecycleEvent> =>
  events.map((event, index) => Object.assign({}, event, patch(event, index)))

describe("the audit of a job", () => {
  it.prop(
    "finds no fault in any world that the decisions bring about",
    [Walk],
    ([walk]) => {
      let world = begin()
      const acts: Array<Act> = []
      for (const { dice, pick } of walk) {
        const act = dice === 0 ? undefined : choose(world, bounds, dice, pick)
        if (act === undefined) continue
        world = step(world, act)
        acts.push(act)
        if (acts.length % 4 === 0) clean(world, acts)
      }
      clean(world, acts)
    },
    runs
  )

  it("has stories to tell: one that landed and one that waits for its retry, both clean", () => {
    const [world, job] = landed
    assert.strictEqual(job.job.state, "COMPLETED")
    assert.deepStrictEqual(auditOf(world, job), [])
    assert.strictEqual(retrying[1].job.state, "RETRY_SCHEDULED")
    assert.deepStrictEqual(auditOf(...retrying), [])
  })

  it("names events whose sequences don't ascend", () => {
    const [world, job] = landed
    const events = changed(eventsOf(job), ({ event }) => (event === "land" ? { sequence: 1 } : {}))
    assert.deepStrictEqual(rulesOf(auditOf(world, job, { events })), ["chain-order"])
  })

  it("tells a rule once a subject, and how often it is broken", () => {
    const [world, job] = landed
    const events = changed(eventsOf(job), () => ({ transitionReason: "whim" }))
    const found = auditOf(world, job, { events })
    assert.deepStrictEqual(rulesOf(found), ["move-illegal", "move-illegal"])
    assert.match(found[0]?.detail ?? "", /^submit \(1\) .*"whim" \(and 3 more\)$/)
  })

  it("names a second completion and a second landing as such, and the broken chains beside them", () => {
    const [world, job] = landed
    const events = eventsOf(job)
    const again = events.filter(({ event }) => event === "complete" || event === "land")
    const twice = changed([...events, ...again], (_, index) => ({ sequence: index + 1 }))
    const found = auditOf(world, job, { events: twice, completions: 2 })
    assert.strictEqual(found.filter(({ rule }) => rule === "two-completions").length, 2)
    assert.includeMembers([...rulesOf(found)], ["chain-gap"])
  })

  it.each([
    ["submit", "chain-start"],
    ["dispatch", "chain-start"],
    ["accept", "chain-gap"],
    ["land", "chain-gap"],
    ["complete", "chain-end"],
    ["clean", "chain-end"]
  ])("misses the event %s as %s", (name, rule) => {
    const [world, job] = landed
    assert.deepStrictEqual(rulesOf(auditOf(world, job, { events: without(eventsOf(job), name) })), [rule])
  })

  it("takes the job of a host that is over for work to be adopted: a note, and a fault once another host had time enough", () => {
    const [world, job] = story(["Turn"])
    const { now } = world
    const lost = { host: 1, epoch: 1, live: false, beatAt: now, enlistedAt: now }
    const next = { host: 2, epoch: 2, live: true, enlistedAt: now }
    const at = (millis: number, ...others: ReadonlyArray<typeof next>) =>
      auditOf(world, job, {
        hosts: new HostRegister(
          [lost, ...others.map((host) => Object.assign({ beatAt: now + millis }, host))],
          now + millis
        )
      }).map(({ rule, severity }) => `${rule} ${severity}`)
    assert.deepStrictEqual(at(3_600_000), ["adoption-owed note"])
    assert.deepStrictEqual(at(36_000, next), ["adoption-owed note"])
    assert.deepStrictEqual(at(36_001, next), ["adoption-owed fault"])
    assert.deepStrictEqual(at(36_001, { ...next, enlistedAt: now + 1 }), ["adoption-owed note"])
  })
})
