// Reading a store that the user may not write: real processes, of another user where these tests run as root.
import { spawnSync } from "node:child_process"
import { chmodSync, copyFileSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { SqliteStore } from "@muster/store-sqlite"
import { Effect } from "effect"
import { enlist } from "./HandMadeHost.ts"

const bin = fileURLToPath(new URL("../bin/muster.js", import.meta.url))
const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

/** Types a command as somebody who may read at most. */
const muster = (file: string, ...args: ReadonlyArray<string>) => {
  const { status, stderr, stdout } = spawnSync(
    process.execPath,
    ["--conditions=@muster/source", bin, ...args, "--store", file],
    { encoding: "utf8", ...nobody }
  )
  return { exitCode: status, out: stdout, err: stderr }
}

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "muster-unwritable-"))),
  (path) =>
    Effect.sync(() => {
      chmodSync(path, 0o755)
      rmSync(path, { recursive: true, force: true })
    })
)

/** From now on the folder and what is in it can be read alone. */
const lock = (path: string) => {
  for (const name of readdirSync(path)) chmodSync(join(path, name), 0o444)
  chmodSync(path, 0o555)
}

/** Opens a store and enlists a host in it. */
const open = (filename: string) => Effect.provide(enlist, SqliteStore.layer({ filename }))

const reading: ReadonlyArray<ReadonlyArray<string>> = [
  ["status"],
  ["jobs"],
  ["events"],
  ["audit"],
  ["dlq", "list"],
  ["prune", "--keep", "1", "--dry-run"]
]

const lines = (text: string) => text.trimEnd().split("\n").length

describe("a store that can't be written", () => {
  it.effect(
    "is read by every command that reads, which leaves nothing behind, and refused in one line by those that write",
    () =>
      Effect.gen(function* () {
        const path = yield* folder
        const file = join(path, "fleet.db")
        yield* Effect.scoped(open(file))
        lock(path)
        for (const args of reading) {
          const said = muster(file, ...args)
          assert.strictEqual(said.exitCode, 0, `${args.join(" ")}: ${said.err}`)
        }
        assert.include(muster(file, "status").out, "host 1")
        const examined = muster(file, "doctor", "--fix", "--json")
        assert.notInclude(examined.out, "can't be looked at")
        assert.include(examined.out, "nothing is mended, since it can't be written: The store failed (open)")
        for (const check of ["hosts", "processes", "logs", "drift"])
          assert.include(examined.out, `"check":"${check}"`)
        const copies = yield* folder
        chmodSync(copies, 0o777)
        const copied = muster(file, "backup", join(copies, "copy.db"))
        assert.strictEqual(copied.exitCode, 0, copied.err)
        for (const args of [["pause"], ["submit", "-w", "count", "{}"], ["prune", "--keep", "1"]]) {
          const said = muster(file, ...args)
          assert.strictEqual(said.exitCode, 74, `${args.join(" ")}: ${said.err}`)
          assert.match(said.err, /^muster: ORCH_STORE_BROKEN: .*fleet\.db.*\n/)
          assert.isAtMost(lines(said.err), 2, said.err)
        }
        assert.deepStrictEqual(readdirSync(path), ["fleet.db"])
      }).pipe(Effect.scoped),
    120_000
  )

  it.effect(
    "is read as it is while a host works on it",
    () =>
      Effect.gen(function* () {
        const path = yield* folder
        const file = join(path, "fleet.db")
        yield* Effect.gen(function* () {
          yield* enlist
          yield* enlist
          lock(path)
          const said = muster(file, "status", "--json")
          assert.strictEqual(said.exitCode, 0, said.err)
          assert.match(said.out, /"hosts":\[\{"host":1,.*\{"host":2,/)
        }).pipe(Effect.provide(SqliteStore.layer({ filename: file })))
      }).pipe(Effect.scoped),
    120_000
  )

  it.effect(
    "is refused in one line where it can't be read, or a writer's traces can't be",
    () =>
      Effect.gen(function* () {
        const path = yield* folder
        const file = join(path, "fleet.db")
        const copy = join(path, "copy.db")
        yield* Effect.gen(function* () {
          yield* enlist
          for (const end of ["", "-wal"]) copyFileSync(file + end, copy + end)
        }).pipe(Effect.provide(SqliteStore.layer({ filename: file })))
        lock(path)
        chmodSync(file, 0o000)
        const closed = muster(file, "status")
        assert.deepStrictEqual([closed.exitCode, lines(closed.err)], [74, 1], closed.err)
        assert.include(closed.err, "permission denied")
        const torn = muster(copy, "status")
        assert.deepStrictEqual([torn.exitCode, lines(torn.err)], [74, 1], torn.err)
        assert.include(torn.err, "copy.db-wal")
      }).pipe(Effect.scoped),
    120_000
  )
})
