// Forgetting finished jobs and copying the store, as typed.
import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, layer } from "@effect/vitest"
import { SqliteStore } from "@muster/store-sqlite"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { document, storeFolder, type as typeAnywhere, world } from "../CommandLine.ts"
import { enlist } from "../HandMadeHost.ts"

/** Jobs 1 to 6 completed a second apart, job 7 quarantined, job 8 waiting; the host has stopped. */
const scene = Effect.gen(function* () {
  const { file, folder, type } = yield* storeFolder
  for (let n = 1; n <= 8; n++) yield* type(["submit", "-w", "count", `{"n":${n}}`])
  // loads the commands, so that the test clock doesn't run on while they are read from the disk
  for (const command of ["prune", "status"]) yield* type([command])
  yield* Effect.gen(function* () {
    const host = yield* enlist
    for (let n = 1; n <= 6; n++) {
      yield* host.take(n)
      yield* host.land(n, n)
      yield* TestClock.adjust("1 second")
    }
    yield* host.take(7)
    yield* host.fail(7, "DQ_BAD", "no such thing")
    yield* host.stop
  }).pipe(Effect.provide(SqliteStore.layer({ filename: file })))
  const seqs = Effect.map(type(["jobs", "--json"]), ({ out }) =>
    out.map((line) => String(document("muster jobs", line)["job_id"]).split("-")[1]).join(" ")
  )
  const prune = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
    // TestClock stands still, and between two transactions the command gives way
    const typing = yield* Effect.forkChild(type(["prune", ...args, "--json"]))
    while (typing.pollUnsafe() === undefined) yield* TestClock.adjust(2)
    const { err, exitCode, out } = yield* Fiber.join(typing)
    return { exitCode, err, document: out[0] === undefined ? {} : document("muster prune", out[0]) }
  })
  return { file, folder, type, seqs, prune }
})

layer(world)("muster prune", (it) => {
  it.effect("forgets what ended before an instant or a while ago, and says how much", () =>
    Effect.gen(function* () {
      const { prune, seqs } = yield* scene
      assert.deepInclude((yield* prune("--finished-before", "1970-01-01T00:00:02Z", "--dry-run")).document, {
        dry_run: true,
        jobs: 2
      })
      assert.strictEqual(yield* seqs, "1 2 3 4 5 6 7 8")
      const { document: gone, exitCode } = yield* prune("--finished-before", "1970-01-01T00:00:02Z")
      assert.deepInclude(gone, { dry_run: false, jobs: 2, dead_letters: 1 })
      assert.strictEqual(exitCode, 0)
      assert.isBelow(Number(gone["bytes_after"]), Number(gone["bytes_before"]) + 1)
      assert.strictEqual(yield* seqs, "3 4 5 6 7 8")
      assert.deepInclude((yield* prune("--finished-before", "1m")).document, { jobs: 0 })
      yield* TestClock.adjust("1 minute")
      assert.deepInclude((yield* prune("--finished-before", "1m")).document, { jobs: 4 })
      assert.strictEqual(yield* seqs, "7 8", "the letter and the waiting job stay")
    })
  )

  it.effect("keeps the newest so many, and records who has pruned, how much and why", () =>
    Effect.gen(function* () {
      const { prune, seqs, type } = yield* scene
      assert.deepInclude((yield* prune("--keep", "2", "--dry-run")).document, { jobs: 4 })
      assert.deepInclude((yield* prune("--keep", "2", "--reason", "disk")).document, { jobs: 4 })
      assert.strictEqual(yield* seqs, "5 6 7 8")
      assert.deepInclude((yield* prune("--keep", "2")).document, { jobs: 0 })
      const notes = (yield* type(["events", "--json"])).out
        .map((line) => document("muster events, and muster run: a move", line))
        .filter(({ event }) => event === "pruned")
      assert.lengthOf(notes, 1)
      assert.match(String(notes[0]?.["actor"]), /^operator:/)
      assert.deepStrictEqual(notes[0]?.["detail"], { jobs: 4, reason: "disk" })
      const audit = yield* type(["audit"])
      assert.strictEqual(audit.exitCode, 0, audit.out.join("\n"))
    })
  )

  it.effect("refuses a letter that may be replayed by the seed's code, until somebody gives it up (R3)", () =>
    Effect.gen(function* () {
      const { prune, seqs, type } = yield* scene
      const refused = yield* prune("1", "7")
      assert.strictEqual(refused.exitCode, 6)
      assert.deepInclude(document("Failures", refused.err), { code: "ORCH_DEAD_LETTER_REQUIRED" })
      assert.include(refused.err, "muster dlq discard 7")
      assert.strictEqual(yield* seqs, "1 2 3 4 5 6 7 8", "nothing went")
      yield* type(["dlq", "discard", "7"])
      assert.deepInclude((yield* prune("1", "7")).document, { jobs: 2, dead_letters: 0 })
      const waits = yield* prune("2", "8")
      assert.deepInclude(waits.document, { jobs: 1 })
      assert.strictEqual(waits.exitCode, 6)
      assert.include(waits.err, "1 of 2 stay")
      assert.strictEqual(yield* seqs, "3 4 5 6 8")
    })
  )

  it.effect("gives the room back to the disk when it is asked to", () =>
    Effect.gen(function* () {
      const { file, prune, type } = yield* scene
      yield* Effect.gen(function* () {
        const host = yield* enlist
        yield* host.take(8)
        yield* host.land(8, "x".repeat(500_000))
      }).pipe(Effect.provide(SqliteStore.layer({ filename: file })))
      const { document: gone } = yield* prune("--keep", "0", "--vacuum")
      assert.isAbove(Number(gone["file_before"]), 500_000)
      assert.isBelow(Number(gone["file_after"]), 300_000)
      assert.strictEqual(gone["file_after"], statSync(file).size)
      assert.strictEqual((yield* type(["audit"])).exitCode, 0)
    })
  )

  it.effect("refuses to guess which jobs are meant", () =>
    Effect.gen(function* () {
      const { type } = yield* storeFolder
      for (const args of [[], ["1", "--keep", "3"], ["--keep", "-1"], ["--finished-before", "yesterday"]])
        assert.strictEqual((yield* type(["prune", ...args])).exitCode, 2, args.join(" "))
      assert.strictEqual((yield* type(["prune", "--keep", "1"])).exitCode, 4, "and makes no store")
    })
  )
})

layer(world)("muster backup", (it) => {
  it.effect("copies the store into a file that is not there yet, while another program writes", () =>
    Effect.gen(function* () {
      const { file, folder, type } = yield* scene
      const copy = join(folder, "copy.db")
      const writer = new DatabaseSync(file)
      writer.exec("BEGIN IMMEDIATE; UPDATE store SET last_job = 99")
      const said = document("muster backup", (yield* type(["backup", copy, "--json"])).out[0])
      writer.exec("ROLLBACK")
      writer.close()
      assert.deepStrictEqual(said, { store: file, file: copy, bytes: statSync(copy).size })
      const inCopy = yield* typeAnywhere(["jobs", "--json", "--store", copy])
      assert.deepStrictEqual(inCopy.out, (yield* type(["jobs", "--json"])).out)
      assert.strictEqual((yield* type(["backup", copy])).exitCode, 2)
      const nowhere = yield* type(["backup", join(folder, "no", "such", "folder.db")])
      assert.strictEqual(nowhere.exitCode, 74)
      assert.deepStrictEqual(
        readdirSync(folder).filter((name) => name.includes("partial")),
        []
      )
    })
  )
})

layer(world)("a store that is none, or can't be written", (it) => {
  it.effect("memory and URIs are refused with one line by every command", () =>
    Effect.gen(function* () {
      for (const store of [":memory:", "file:x?mode=memory"]) {
        const said = yield* typeAnywhere(["status", "--store", store])
        assert.strictEqual(said.exitCode, 2)
        assert.include(said.err, `Expected a file, not ${store}`)
      }
    })
  )

  it.effect("of a newer version is refused by every command, and stays as it is", () =>
    Effect.gen(function* () {
      const { file, folder, type } = yield* scene
      const db = new DatabaseSync(file)
      db.exec("PRAGMA user_version = 99")
      db.close()
      const commands = ["status", "jobs", "events", "audit", "pause", "resume", "drain", "show 1", "cancel 8"]
      const more = [
        "dlq list",
        "dlq show 7",
        "dlq replay 7",
        "prune --keep 1",
        `backup ${join(folder, "b.db")}`
      ]
      for (const command of [...commands, ...more, "submit -w count {}"]) {
        const said = yield* type(["--json", ...command.split(" ")])
        assert.strictEqual(said.exitCode, 78, `${command}: ${said.err}`)
        assert.deepInclude(document("Failures", said.err), { code: "ORCH_STORE_VERSION" }, command)
      }
      const run = yield* typeAnywhere(["run", "--store", file, "-w", "count", "--", "true"])
      assert.strictEqual(run.exitCode, 78)
      assert.include(run.err, "written by a newer version")
      const after = new DatabaseSync(file)
      assert.deepEqual(after.prepare("PRAGMA user_version").get(), { user_version: 99 })
      after.close()
    })
  )
})
