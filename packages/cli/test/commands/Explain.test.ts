// Why it stands as it does, what keeps it, what happens next, and what one can do.
import { assert, layer } from "@effect/vitest"
import { SqliteStore } from "@muster/store-sqlite"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { document, storeFolder, world } from "../CommandLine.ts"
import { enlist } from "../HandMadeHost.ts"
import { scene } from "../JobScene.ts"

const explained = Effect.gen(function* () {
  const { type } = yield* scene
  const explain = Effect.fnUntraced(function* (subject: string) {
    return document("muster explain", (yield* type(["explain", subject, "--json"])).out[0])
  })
  return { explain, type }
})

/** Texts of a list in the document. */
const texts = (list: unknown): string => JSON.stringify(list)

layer(world)("muster explain", (it) => {
  it.effect("says of a job that waits for its retry why, until when, and how it may be ended", () =>
    Effect.gen(function* () {
      const { explain } = yield* explained
      const found = yield* explain("4")
      assert.deepInclude(found, { subject: "job", state: "RETRY_SCHEDULED" })
      assert.include(texts(found["why"]), "because its agent failed with a code")
      assert.include(texts(found["why"]), "The last failure was EXT_AWAY: not now.")
      assert.include(texts(found["why"]), "It has burned 1 of")
      assert.match(texts(found["waits_for"]), /Its backoff isn't over: it is due in/)
      assert.include(texts(found["can"]), "muster cancel 4")
    })
  )

  it.effect("counts the attempt that was retried no more", () =>
    Effect.gen(function* () {
      const { file, type } = yield* storeFolder
      yield* type(["submit", "-w", "count", "--max-retries", "1", "1"])
      yield* Effect.gen(function* () {
        const host = yield* enlist
        yield* host.take(1)
        yield* host.fail(1, "EXT_AWAY", "not now")
        yield* TestClock.adjust("2 seconds")
        yield* host.take(1)
        yield* host.fail(1, "EXT_AWAY", "not now")
      }).pipe(Effect.provide(SqliteStore.layer({ filename: file })))
      const found = document("muster explain", (yield* type(["explain", "1", "--json"])).out[0])
      assert.strictEqual(found["state"], "DEAD_LETTERED")
      assert.include(texts(found["why"]), "It has burned 2 of 2 attempts")
    })
  )

  it.effect("says of a dead letter why it failed, and that it may be replayed", () =>
    Effect.gen(function* () {
      const { explain } = yield* explained
      const found = yield* explain("2")
      assert.include(texts(found["why"]), "It had failed because its code is permanent")
      assert.include(texts(found["why"]), "DQ_BAD is permanent (row DQ_*)")
      assert.include(texts(found["can"]), "muster dlq replay 2")
      assert.notInclude(texts(found["can"]), "muster cancel")
    })
  )

  it.effect("names everything that keeps a due job from running: a pause, and no host", () =>
    Effect.gen(function* () {
      const { explain, type } = yield* explained
      assert.deepStrictEqual((yield* explain("5"))["waits_for"], [])
      yield* type(["pause", "--reason", "lunch"])
      yield* TestClock.adjust("1 minute")
      const found = yield* explain("5")
      assert.match(texts(found["waits_for"]), /The fleet is paused, by operator:.*No host is running/)
      assert.match(texts(found["can"]), /muster resume.*muster run/)
    })
  )

  it.effect("explains an agent by its table, and a code by its row and what the store has seen of it", () =>
    Effect.gen(function* () {
      const { explain } = yield* explained
      const agent = yield* explain("agent:3")
      assert.deepInclude(agent, { subject: "agent", state: "working" })
      assert.include(texts(agent["why"]), "host 1 owns it")
      assert.include(texts(agent["why"]), 'its table knows \\"land\\" and \\"abandon\\"')
      const code = yield* explain("DQ_BAD")
      assert.deepInclude(code, { subject: "code", state: null })
      assert.include(texts(code["why"]), "1 dead letter with it (of job 2), and 0 attempts")
    })
  )

  it.effect("explains a code where there is no store, and says of a job that there is none", () =>
    Effect.gen(function* () {
      const { type } = yield* storeFolder
      const code = yield* type(["explain", "EXT_AWAY"])
      assert.strictEqual(code.exitCode, 0)
      assert.include(code.out.join("\n"), "EXT_AWAY is retried (row EXT_*): 5 attempts in all")
      const job = yield* type(["explain", "1"])
      assert.strictEqual(job.exitCode, 4)
      assert.include(job.err, "ORCH_STORE_MISSING")
    })
  )

  it.effect("says what it says in sentences that fit the page", () =>
    Effect.gen(function* () {
      const { type } = yield* explained
      const { out } = yield* type(["explain", "2"])
      for (const line of out) assert.isAtMost(line.length, 80, line)
      for (const title of ["why", "what happens next", "what you can do"]) assert.include(out, title)
    })
  )
})

layer(world)("muster timeline", (it) => {
  it.effect("draws a job's life, and tells it in JSON", () =>
    Effect.gen(function* () {
      const { type } = yield* explained
      const { out } = yield* type(["timeline", "2"])
      assert.match(out[0] ?? "", /-2 {2}count {2}DEAD_LETTERED {2}2s from its submission to its end/)
      assert.match(out.join("\n"), /RETRY_SCHEDULED +░+ +2s {2}due/)
      const told = document("muster timeline", (yield* type(["timeline", "2", "--json"])).out[0])
      assert.deepInclude(told, { current_state: "DEAD_LETTERED", complete: true })
    })
  )
})
