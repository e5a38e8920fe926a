import { join } from "node:path"
import { assert, describe, it, layer } from "@effect/vitest"
import { limits, Store } from "@muster/core"
import { SqliteStore } from "@muster/store-sqlite"
import { Effect, FileSystem } from "effect"
import { document, storeFolder, world } from "../CommandLine.ts"
import { enlist } from "../HandMadeHost.ts"

layer(world)("muster submit", (it) => {
  it.effect("stores a pending job, makes the store for it and answers with its id", () =>
    Effect.gen(function* () {
      const { file, type } = yield* storeFolder
      const said = yield* type(["submit", "--workflow", "count", '{"n":1}', "--json"])
      assert.strictEqual(said.exitCode, 0)
      const answer = document("muster submit", said.out[0])
      assert.deepInclude(answer, { current_state: "PENDING", duplicate: false, workflow_type: "count" })
      const stored = yield* Store.use((store) => store.job("1")).pipe(
        Effect.provide(SqliteStore.layer({ filename: file }))
      )
      assert.strictEqual(stored.payload, '{"n":1}')
      assert.strictEqual(stored.job.jobId, answer["job_id"])
      assert.isTrue(stored.job.maxRetries === 4)
    })
  )

  it.effect("says that the configuration at hand lacks the workflow, and explain then how to go on", () =>
    Effect.gen(function* () {
      const { folder, type } = yield* storeFolder
      const config = join(folder, "fleet.json")
      const has = { workflows: { count: { command: ["true"] } } }
      yield* FileSystem.FileSystem.use((fs) => fs.writeFileString(config, JSON.stringify(has)))
      const lacking = yield* type(["submit", "-w", "other", "1", "--config", config])
      assert.strictEqual(lacking.exitCode, 0)
      assert.match(lacking.err, /fleet\.json has no workflow "other"/)
      assert.strictEqual((yield* type(["submit", "-w", "count", "1", "--config", config])).err, "")
      const advice = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
        const found = document("muster explain", (yield* type(["explain", ...args, "--json"])).out[0])
        return JSON.stringify(found["can"])
      })
      assert.include(yield* advice("1"), '"muster run -- COMMAND"')
      assert.match(yield* advice("1", "--config", config), /"muster run",.*once the configuration has/)
      assert.match(yield* advice("2", "--config", config), /"muster run",.*takes the jobs of its workflows/)
    })
  )

  it.effect("answers the same payload with the job that is there, and stores nothing", () =>
    Effect.gen(function* () {
      const { type } = yield* storeFolder
      const first = yield* type(["submit", "-w", "count", '{"a":1,"b":2}', "--json"])
      const again = yield* type(["submit", "-w", "count", '{ "b": 2, "a": 1 }', "--json"])
      const answer = document("muster submit", again.out[0])
      assert.isTrue(answer["duplicate"])
      assert.strictEqual(answer["job_id"], document("muster submit", first.out[0])["job_id"])
      assert.lengthOf((yield* type(["jobs", "--json"])).out, 1)
    })
  )

  it.effect("answers a duplicate of a job that is done with its stored result", () =>
    Effect.gen(function* () {
      const { file, type } = yield* storeFolder
      yield* type(["submit", "-w", "count", '{"n":1}'])
      yield* Effect.gen(function* () {
        const host = yield* enlist
        yield* host.take(1)
        yield* host.land(1, { total: 7 })
      }).pipe(Effect.provide(SqliteStore.layer({ filename: file })))
      const again = yield* type(["submit", "-w", "count", '{"n":1}', "--json"])
      assert.deepInclude(document("muster submit", again.out[0]), {
        current_state: "COMPLETED",
        duplicate: true,
        result: { total: 7 }
      })
    })
  )

  it.effect("refuses another payload under a key that is taken, with the code's own exit code", () =>
    Effect.gen(function* () {
      const { type } = yield* storeFolder
      yield* type(["submit", "-w", "count", "-k", "one", '{"n":1}'])
      const said = yield* type(["submit", "-w", "count", "-k", "one", '{"n":2}', "--json"])
      assert.strictEqual(said.exitCode, 5)
      assert.deepStrictEqual(said.out, [])
      assert.deepInclude(document("Failures", said.err), {
        code: "ORCH_DUPLICATE_IDEMPOTENCY_KEY",
        exit_code: 5
      })
      assert.lengthOf((yield* type(["jobs", "--json"])).out, 1)
    })
  )

  it.effect("reads the payload from standard input, and takes what flags say", () =>
    Effect.gen(function* () {
      const { type } = yield* storeFolder
      const flags = ["--priority", "5", "--max-retries", "0", "--run-at", "2030-01-31T09:00:00+01:00"]
      yield* type(["submit", "-w", "count", "--correlation-id", "cause", ...flags], '\n {"n":\n1}\n')
      const [line] = (yield* type(["jobs", "--json"])).out
      assert.deepInclude(document("muster jobs", line), {
        priority: 5,
        max_retries: 0,
        run_at: "2030-01-31T08:00:00.000Z",
        correlation_id: "cause"
      })
      assert.deepInclude(document("muster show", (yield* type(["show", "1", "--json"])).out[0]), {
        payload: { n: 1 }
      })
    })
  )

  it.effect("takes a whole submission, over whose fields flags win", () =>
    Effect.gen(function* () {
      const { type } = yield* storeFolder
      const submission = { workflow_type: "count", priority: 1, idempotency_key: "k", payload: { n: 1 } }
      yield* type(["submit", "--priority", "9", "-"], JSON.stringify(submission))
      assert.deepInclude(document("muster show", (yield* type(["show", "1", "--json"])).out[0]), {
        workflow_type: "count",
        priority: 9,
        idempotency_key: "k",
        payload: { n: 1 }
      })
    })
  )

  it.effect.each([
    [["submit", "1"], "no workflow", 2],
    [["submit", "-w", "count", "{n:1}"], "not JSON", 65],
    [["submit", "-w", "count"], "empty", 65],
    [["submit", "-w", "count", "12345678901234567890"], "write it in quotes", 65],
    [["submit", "-w", "count", "--run-at", "tomorrow", "1"], "an instant in ISO 8601", 2],
    [["submit", "-w", "count", "--max-retries", "-1", "1"], "max_retries", 2],
    [["submit", "-w", " count", "1"], "workflow_type", 2],
    [["submit", "-w", "count", JSON.stringify("x".repeat(limits.payloadBytes))], "1048576 bytes", 65]
  ] as const)("refuses %j", ([args, reason, exitCode]) =>
    Effect.gen(function* () {
      const { type } = yield* storeFolder
      const said = yield* type(args)
      assert.include(said.err, reason)
      assert.strictEqual(said.exitCode, exitCode)
      assert.deepStrictEqual(said.out, [])
      // nothing was stored, and no store was made for it
      assert.strictEqual((yield* type(["status"])).exitCode, 4)
    })
  )
})

describe("standard input that is too long", () => {
  it.effect("is not read to its end", () =>
    Effect.gen(function* () {
      const { type } = yield* storeFolder
      const said = yield* type(["submit", "-w", "count"], JSON.stringify("x".repeat(3 * limits.payloadBytes)))
      assert.strictEqual(said.exitCode, 65)
      assert.include(said.err, "CONTRACT_PAYLOAD_TOO_LARGE")
    }).pipe(Effect.provide(world))
  )
})
