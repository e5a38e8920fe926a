// The audit finds nothing to blame in stores that fleets have written, whatever happened to their hosts; and it may look at any time.
import { assert, describe, it } from "@effect/vitest"
import { isOver } from "@muster/core"
import { ScriptedRunner } from "@muster/core/testing"
import { Arbitrary, Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { audit, isFault } from "./Audited.ts"
import { scriptedWorkflow } from "./Scripted.ts"
import * as World from "./World.ts"

const { die, fail, sleep, succeed, waitFor } = ScriptedRunner

/** What an agent does follows from its number and its life: a whole catalogue of outcomes. */
const scriptOf = (n: number, life: number): ReadonlyArray<ScriptedRunner.Step> => {
  switch (n % 8) {
    case 0:
      return [succeed(n)]
    case 1:
      return life < 3 ? [fail("EXT_FLAKY")] : [succeed(n)]
    case 2:
      return [fail("DQ_BAD")]
    case 3:
      return life < 2 ? [die("boom")] : [succeed(n)]
    case 4:
      return life < 2 ? [fail("EXT_LIMITED", { retryAfterMillis: 4_000 })] : [succeed(n)]
    case 5:
      return [waitFor("never")]
    case 6:
      return [sleep("15 seconds"), succeed(n)]
    default:
      return [sleep((n * 700) % 20_000), fail("EXT_FLAKY")]
  }
}

const number = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9_973 }))
const Walk = Arbitrary.array(Arbitrary.schema(Schema.Struct({ dice: number, pick: number })), {
  minLength: 20,
  maxLength: 50
})

const waits = ["300 millis", "1 second", "4 seconds", "12 seconds"] as const

const live = Effect.fnUntraced(function* (
  walk: ReadonlyArray<{ readonly dice: number; readonly pick: number }>
) {
  const { work } = scriptedWorkflow(({ incarnation, n }) => scriptOf(n, incarnation), {
    maxRetries: 2,
    silence: "10 seconds"
  })
  const world = yield* World.make
  const hosts: Array<World.HostUnderTest> = []
  const acts: Array<string> = []
  let submitted = 0

  const start = Effect.gen(function* () {
    hosts.push(yield* world.host({ workflows: [work], slots: 3 }))
  })
  const act = Effect.fnUntraced(function* (dice: number, pick: number) {
    const host = hosts[pick % Math.max(1, hosts.length)]
    const kind = ["submit", "submit", "wait", "wait", "cancel", "stop", "crash", "start"][dice % 8] ?? ""
    acts.push(`${kind} ${pick}`)
    switch (kind) {
      case "submit":
        if (host !== undefined) yield* host.fleet.submit(work, ++submitted)
        return
      case "cancel":
        if (host !== undefined && submitted > 0)
          // it is answered when the clock moves
          yield* Effect.forkScoped(Effect.ignore(host.fleet.cancel(String((pick % submitted) + 1))))
        return
      case "stop":
      case "crash":
        if (host === undefined) return
        yield* kind === "stop" ? host.stop : host.crash()
        hosts.splice(hosts.indexOf(host), 1)
        return
      case "start":
        if (hosts.length < 2) yield* start
        return
      default:
        yield* TestClock.adjust(waits[pick % waits.length] ?? "1 second")
    }
  })
  const look = Effect.gen(function* () {
    const faults = (yield* audit(world.store)).filter(isFault)
    if (faults.length > 0)
      assert.fail([...faults, "after", ...acts].map((part) => JSON.stringify(part)).join("\n"))
  })

  yield* start
  for (const { dice, pick } of walk) {
    yield* act(dice, pick)
    yield* look
  }
  yield* start
  // An open breaker lets one job at a time through, and most of them fail by nature: that takes its time.
  const all = world.store.jobs({ by: "page", state: null, workflow: null, after: 0, limit: 1_000 })
  let jobs = yield* all
  for (let round = 0; round < 12 && jobs.some(({ job }) => !isOver(job.state)); round++) {
    yield* TestClock.adjust("5 minutes")
    jobs = yield* all
  }
  for (const { job } of jobs) assert.isTrue(isOver(job.state), `job ${job.seq} is ${job.state}`)
  assert.deepStrictEqual(yield* audit(world.store), [], acts.join("\n"))
}, Effect.scoped)

describe("the audit of a fleet's store", () => {
  it.effect.prop(
    "is clean at any time, whatever agents do and whenever hosts come, go and crash",
    [Walk],
    ([walk]) => live(walk),
    { arbitrary: { runs: 8, size: 50, seed: "audit" }, timeout: 120_000 }
  )
})
