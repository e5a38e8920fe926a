// What is forgotten of kept lines.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import type { LogFile } from "../../../src/adapters/logs/LogFiles.ts"
import * as LogKeeping from "../../../src/adapters/logs/LogKeeping.ts"

const day = 86_400_000
const file = (n: number, bytes: number, at: number): LogFile => ({
  path: `/logs/k3f9qx-${n}.log`,
  jobId: `k3f9qx-${n}`,
  bytes,
  at
})
const ids = (files: ReadonlyArray<LogFile>) => files.map(({ jobId }) => jobId)

const Files = Schema.Array(
  Schema.Struct({
    bytes: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100 })),
    at: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100 })),
    known: Schema.Boolean
  })
)

describe("what goes of the logs", () => {
  it.prop(
    "is all that is too old or forgotten, and the oldest until the rest has room: never more (R36)",
    { given: Files, bytes: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 400 })) },
    ({ bytes, given }) => {
      const files = given.map(({ at, bytes: size }, n) => file(n + 1, size, at))
      const known = new Set(ids(files.filter((_, n) => given[n]?.known)))
      const gone = new Set(LogKeeping.excess(files, { millis: 50, bytes }, 100, known))
      const left = files.filter((one) => !gone.has(one))
      const sum = (some: Iterable<LogFile>) => Array.from(some).reduce((all, one) => all + one.bytes, 0)
      assert.isAtMost(sum(left), bytes)
      assert.isTrue(left.every(({ at, jobId }) => 100 - at <= 50 && known.has(jobId)))
      const forBytes = Array.from(gone).filter(({ at, jobId }) => 100 - at <= 50 && known.has(jobId))
      // Who goes for the bytes alone is not newer than anybody that stays, and without the last of them there was no room.
      assert.isTrue(forBytes.every((one) => left.every((other) => one.at <= other.at)))
      const last = forBytes.at(-1)
      if (last !== undefined) assert.isAbove(sum(left) + last.bytes, bytes)
    }
  )

  it.effect("goes from the folder, seven days after its last line and a gibibyte from the newest on", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(LogKeeping.defaultBounds, { millis: 7 * day, bytes: 1_073_741_824 })
      yield* TestClock.setTime(10 * day)
      const folder = mkdtempSync(join(tmpdir(), "muster-keeping-"))
      yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true, force: true })))
      const put = (name: string, bytes: number, at: number) => {
        writeFileSync(join(folder, name), "x".repeat(bytes))
        utimesSync(join(folder, name), at / 1000, at / 1000)
      }
      put("k3f9qx-1.log", 10, 2 * day)
      put("k3f9qx-2.log", 10, 4 * day)
      put("k3f9qx-3.log", 10, 9 * day)
      put("k3f9qx-3.log.1", 10, 8 * day)
      put("k3f9qx-4.log", 10, 9 * day)
      put("notes.txt", 10, 0)
      mkdirSync(join(folder, "k3f9qx-9.log"))
      const known = (jobIds: ReadonlyArray<string>) =>
        Effect.succeed(new Set(jobIds.filter((id) => id !== "k3f9qx-4")))
      const prune = (bytes: number | null, dryRun = false) =>
        LogKeeping.prune(folder, { millis: 7 * day, bytes }, known, dryRun)
      assert.deepStrictEqual(yield* prune(null, true), { files: 2, bytes: 20 })
      assert.deepStrictEqual(yield* prune(null), { files: 2, bytes: 20 })
      const left = ["k3f9qx-2.log", "k3f9qx-3.log", "k3f9qx-3.log.1", "k3f9qx-9.log", "notes.txt"]
      assert.deepStrictEqual(readdirSync(folder).toSorted(), left)
      assert.deepStrictEqual(yield* prune(20), { files: 1, bytes: 10 })
      assert.notInclude(readdirSync(folder), "k3f9qx-2.log")
      yield* TestClock.adjust("8 days")
      assert.deepStrictEqual(yield* prune(null), { files: 2, bytes: 20 })
      assert.deepStrictEqual(yield* LogKeeping.prune(join(folder, "none"), LogKeeping.defaultBounds, known), {
        files: 0,
        bytes: 0
      })
    })
  )
})
