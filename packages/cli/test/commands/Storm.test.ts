import { assert, layer } from "@effect/vitest"
import { SqliteStore } from "@muster/store-sqlite"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { document, storeFolder, world } from "../CommandLine.ts"
import { enlist } from "../HandMadeHost.ts"

/** Job 1 is held by a rate limit for a minute, 2 waits as the others of its workflow, 3 is of a calm one. */
const scene = Effect.gen(function* () {
  const { file, type } = yield* storeFolder
  for (const workflow of ["limited", "stormy", "calm"]) yield* type(["submit", "-w", workflow, `{"n":1}`])
  yield* Effect.gen(function* () {
    const host = yield* enlist
    yield* host.take(1)
    yield* host.fail(1, "EXT_LIMITED", "slow down", { retryAfterMillis: 60_000 })
    const breaker = { workflow_type: "stormy", failures: 5, at: 1_000 }
    yield* host.tellBreaker({ ...breaker, state: "open", opened_at: 1_000, probe_at: 31_000 })
    yield* host.tellBreaker({
      ...breaker,
      workflow_type: "calm",
      state: "closed",
      opened_at: null,
      probe_at: null
    })
    yield* host.renew
  }).pipe(Effect.provide(SqliteStore.layer({ filename: file })))
  yield* TestClock.adjust("5 seconds")
  return { file, type }
})

layer(world)("in a storm", (it) => {
  it.effect("status says which workflow waits, since when and until when", () =>
    Effect.gen(function* () {
      const { type } = yield* scene
      const status = document("muster status", (yield* type(["status", "--json"])).out[0])
      assert.deepStrictEqual(status["breakers"], [
        {
          workflow_type: "stormy",
          state: "open",
          failures: 5,
          opened_at: "1970-01-01T00:00:01.000Z",
          probe_at: "1970-01-01T00:00:31.000Z"
        }
      ])
      const out = (yield* type(["status"])).out.join("\n")
      assert.match(out, /storm +stormy waits: 5 attempts have failed, 4s ago; one job is tried in 26s/)
      assert.notInclude(out, "calm waits")
    })
  )

  it.effect("show says of a job why it waits, and until when", () =>
    Effect.gen(function* () {
      const { type } = yield* scene
      const shown = document("muster show", (yield* type(["show", "2", "--json"])).out[0])
      assert.deepInclude(shown["breaker"], { state: "open", probe_at: "1970-01-01T00:00:31.000Z" })
      assert.isNull(shown["held_until"])
      assert.include(String(shown["next"]), "burns nothing")
      assert.isNull(document("muster show", (yield* type(["show", "3", "--json"])).out[0])["breaker"])
      yield* TestClock.adjust("30 seconds")
      assert.include((yield* type(["show", "2"])).out.join(" "), "the next free slot tries one job")
    })
  )

  it.effect("show says of a held job until when, and that it burns no attempt", () =>
    Effect.gen(function* () {
      const { type } = yield* scene
      const shown = document("muster show", (yield* type(["show", "1", "--json"])).out[0])
      assert.strictEqual(shown["held_until"], shown["run_at"])
      assert.isAtLeast(Date.parse(String(shown["held_until"])), 60_000)
      assert.deepInclude(shown, { retry_count: 0 })
      const out = (yield* type(["show", "1"])).out.join("\n")
      assert.match(out, /held until +1970-01-01T00:01/)
      assert.include(
        out.replaceAll(/\s+/g, " "),
        "the outside asked for patience (EXT_LIMITED). That burns no attempt."
      )
      yield* TestClock.adjust("2 minutes")
      const later = document("muster show", (yield* type(["show", "1", "--json"])).out[0])
      assert.isNull(later["held_until"], "it waits for a slot now")
    })
  )
})
