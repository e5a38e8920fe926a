// What the doctor finds in a store and around it, as typed.
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Store, Workflow } from "@muster/core"
import { ControlSockets, DirectoryWorkspaces, Fleet, HostProbe, LogFiles, NodeHostProbe } from "@muster/fleet"
import { SqliteStore } from "@muster/store-sqlite"
import { Context, Effect, Layer, Schema } from "effect"
import { document, storeFolder } from "../CommandLine.ts"
import { live } from "../control/ServedStore.ts"

type Found = Readonly<Record<"check" | "verdict" | "found", string>>

const scene = Effect.gen(function* () {
  const { file, folder, type } = yield* storeFolder
  const examine = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
    const { exitCode, out } = yield* type(["doctor", "--json", ...args])
    const said = document("muster doctor", out[0])
    // held against the schema just now
    const all = said["diagnoses"] as ReadonlyArray<Found>
    const of = (check: string) => all.filter((one) => one.check === check)
    return {
      exitCode,
      healthy: said["healthy"],
      checks: all.map(({ check }) => check),
      verdict: (check: string) => of(check).map(({ verdict }) => verdict),
      found: (check: string) =>
        of(check)
          .map(({ found }) => found)
          .join("; ")
    }
  })
  return { file, folder, type, examine }
})

const change = (file: string, sql: string): void => {
  const db = new DatabaseSync(file)
  db.exec(sql)
  db.close()
}

describe("muster doctor", () => {
  it.live("says that there is no store, and makes none", () =>
    Effect.gen(function* () {
      const { examine, folder } = yield* scene
      const { checks, exitCode, found, healthy, verdict } = yield* examine("--fix")
      assert.deepStrictEqual([exitCode, healthy, verdict("store")], [0, true, ["warn"]])
      assert.include(found("store"), "ORCH_STORE_MISSING")
      assert.notInclude(checks, "hosts")
      assert.deepStrictEqual(readdirSync(folder), [])
    }).pipe(Effect.provide(live))
  )

  it.live("takes a newer store, an older one and another file for findings, and changes none", () =>
    Effect.gen(function* () {
      const { examine, file, type } = yield* scene
      yield* type(["submit", "-w", "count", '{"n":1}'])
      change(file, "PRAGMA user_version = 99")
      const newer = yield* examine("--fix")
      assert.deepStrictEqual([newer.exitCode, newer.verdict("store")[0]], [7, "bad"])
      assert.include(newer.found("store"), "ORCH_STORE_VERSION")
      change(file, "PRAGMA user_version = 1")
      const older = yield* examine("--fix")
      assert.deepStrictEqual([older.exitCode, older.verdict("store")[0]], [0, "warn"])
      assert.isFalse(readdirSync(dirname(file)).some((name) => name.includes("backup")))
      writeFileSync(file, "no database, but long enough for a header of one. ".repeat(40))
      const other = yield* examine("--fix")
      assert.deepStrictEqual([other.exitCode, other.verdict("store")], [7, ["bad"]])
    }).pipe(Effect.provide(live))
  )

  it.live("looks at all there is, in the order of the checks, and people are told in lines", () =>
    Effect.gen(function* () {
      const { examine, type } = yield* scene
      yield* type(["submit", "-w", "count", '{"n":1}'])
      const { checks, exitCode, verdict } = yield* examine("--deep")
      assert.strictEqual(exitCode, 0)
      const expected =
        "node versions configuration store disk clock hosts work sockets processes workspaces logs drift"
      assert.deepStrictEqual(checks, expected.split(" "))
      assert.deepStrictEqual(verdict("drift"), ["ok"])
      const { out } = yield* type(["doctor"])
      assert.match(out.find((line) => line.includes("hosts")) ?? "", /^ok +hosts +none is running$/)
    }).pipe(Effect.provide(live))
  )

  it.live("removes the workspaces whose record says removed, and none that somebody may need", () =>
    Effect.gen(function* () {
      const { examine, file } = yield* scene
      const root = join(dirname(file), "workspaces")
      const work = Workflow.make("dig", {
        payload: Schema.Int,
        result: Schema.Int,
        workspace: "directory",
        run: (n) => Effect.succeed(n)
      })
      const plugin = {
        name: "places",
        version: "1",
        make: Effect.sync(() => ({ workspaces: [DirectoryWorkspaces.make({ root })] }))
      }
      const context = yield* Layer.build(
        Layer.provideMerge(
          Fleet.layer({ workflows: [work], plugins: [plugin] }),
          SqliteStore.layer({ filename: file })
        )
      )
      const fleet = Context.get(context, Fleet)
      const { id } = Context.get(context, Store)
      const { jobId } = yield* fleet.submit(work, 1)
      yield* fleet.await(jobId)
      while ((yield* Context.get(context, Store).job(jobId)).job.agent?.state !== "tombstoned")
        yield* Effect.yieldNow
      const left = [jobId, `${jobId}.2`]
      const others = [`${id}-999`, "other1-1", "notes"]
      for (const name of [...left, ...others]) mkdirSync(join(root, name))
      const before = yield* examine()
      assert.deepStrictEqual(before.verdict("workspaces"), ["warn", "warn"])
      assert.include(before.found("workspaces"), `2 workspaces in ${root}`)
      const { exitCode, verdict } = yield* examine("--fix")
      assert.deepStrictEqual([exitCode, verdict("workspaces")], [0, ["fixed", "warn"]])
      assert.sameMembers(readdirSync(root), others)
    }).pipe(Effect.provide(live))
  )

  it.live(
    "leaves the socket of a host that may live, though nobody listens there, and removes a dead one's",
    () =>
      Effect.gen(function* () {
        const { examine, file, type } = yield* scene
        yield* type(["submit", "-w", "count", '{"n":1}'])
        const self = yield* HostProbe.HostProbe.use((probe) => probe.self).pipe(
          Effect.provide(NodeHostProbe.layer)
        )
        const enlist = (identity: HostProbe.HostIdentity) =>
          Store.use((store) => store.enlist(HostProbe.toText(identity), Date.now())).pipe(
            Effect.provide(SqliteStore.layer({ filename: file })),
            Effect.map(({ host }) => host)
          )
        const alive = yield* enlist(self)
        const gone = yield* enlist({ ...self, start_time: "another life of this pid" })
        const elsewhere = yield* enlist({ ...self, machine: "another machine" })
        const folder = ControlSockets.folderOf(file)
        mkdirSync(folder, { mode: 0o700 })
        const socketOf = (host: number) => join(folder, `${host}.sock`)
        // as a killed process leaves them: there, and nobody behind them
        const program = `
        const paths = process.argv.slice(1)
        let listening = 0
        const end = () => ++listening === paths.length && process.kill(process.pid, "SIGKILL")
        for (const path of paths) require("node:net").createServer().listen(path, end)`
        const paths = [alive, gone, elsewhere].map(socketOf)
        spawnSync(process.execPath, ["-e", program, ...paths])
        assert.deepStrictEqual(
          paths.map((path) => existsSync(path)),
          [true, true, true]
        )
        const { exitCode, found, verdict } = yield* examine("--fix")
        assert.deepStrictEqual(verdict("hosts"), ["ok", "fixed", "ok"], found("hosts"))
        assert.deepStrictEqual(verdict("sockets"), ["warn", "fixed", "warn"], found("sockets"))
        assert.strictEqual(exitCode, 0)
        assert.deepStrictEqual(
          paths.map((path) => existsSync(path)),
          [true, false, true]
        )
      }).pipe(Effect.provide(live))
  )

  it.live("removes the lines of forgotten jobs, and says what is wrong with a configuration", () =>
    Effect.gen(function* () {
      const { examine, file, folder, type } = yield* scene
      yield* type(["submit", "-w", "count", '{"n":1}'])
      const [job] = (yield* type(["jobs", "--json"])).out
      const id = String(document("muster jobs", job)["job_id"]).split("-")[0]
      mkdirSync(LogFiles.folderOf(file))
      const gone = join(LogFiles.folderOf(file), `${id}-77.log`)
      const kept = join(LogFiles.folderOf(file), `${id}-1.log`)
      for (const path of [gone, kept]) writeFileSync(path, "")
      assert.deepStrictEqual((yield* examine()).verdict("logs"), ["warn"])
      assert.deepStrictEqual((yield* examine("--fix")).verdict("logs"), ["fixed"])
      assert.deepStrictEqual([existsSync(gone), existsSync(kept)], [false, true])
      const config = join(folder, "wrong.json")
      writeFileSync(config, `{"slots":"four","lines":1}`)
      const wrong = yield* examine("--config", config)
      assert.deepStrictEqual([wrong.exitCode, wrong.verdict("configuration")], [7, ["bad", "bad"]])
      assert.include(wrong.found("configuration"), "slots")
    }).pipe(Effect.provide(live))
  )
})
