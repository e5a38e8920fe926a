// The command as people start it: a process of its own, over a real file.
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { cpSync, existsSync, mkdirSync, openSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { exit } from "@muster/core"
import { Effect, FileSystem } from "effect"
import manifest from "../package.json" with { type: "json" }
import { document, storeFolder, world } from "./CommandLine.ts"

const bin = join(import.meta.dirname, "../bin/muster.js")
const node = [process.execPath, "--conditions=@muster/source"]

interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

const ended = async (child: ChildProcess): Promise<Ended> => {
  let out = ""
  let err = ""
  child.stdout?.on("data", (chunk: Buffer) => (out += chunk.toString()))
  child.stderr?.on("data", (chunk: Buffer) => (err += chunk.toString()))
  const [code] = await once(child, "close")
  return { code: typeof code === "number" ? code : null, out, err }
}

const start = ([program = "", ...args]: ReadonlyArray<string>, env: Record<string, string> = {}) =>
  // Colours as these tests ask for them, whatever they are run with.
  spawn(program, args, { env: { ...process.env, NO_COLOR: undefined, FORCE_COLOR: undefined, ...env } })

/** A busy machine takes its time to start a process. */
const patience = 60_000

/** Runs to the end. */
const run = (args: ReadonlyArray<string>, stdin = "", env: Record<string, string> = {}) =>
  Effect.promise(() => {
    const child = start([...node, bin, ...args], env)
    child.stdin.end(stdin)
    return ended(child)
  })

/** Resolves when standard output has said so. */
const said = (child: ChildProcess, text: string): Promise<void> =>
  new Promise((resolve) => {
    let out = ""
    child.stdout?.on("data", (chunk: Buffer) => {
      out += chunk.toString()
      if (out.includes(text)) resolve()
    })
  })

describe("muster as a process", () => {
  it.live(
    "answers its version from the manifest, before anything else of it is loaded",
    () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const folder = yield* fs.makeTempDirectoryScoped()
        mkdirSync(join(folder, "bin"))
        cpSync(bin, join(folder, "bin/muster.js"))
        // a package without sources and dependencies
        writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module", version: "9.8.7" }))
        const alone = yield* Effect.promise(() =>
          ended(start([process.execPath, join(folder, "bin/muster.js"), "--version"]))
        )
        assert.deepStrictEqual(alone, { code: 0, out: "muster 9.8.7\n", err: "" })
        const whole = yield* run(["status", "--version"])
        assert.deepStrictEqual(whole, { code: 0, out: `muster ${manifest.version}\n`, err: "" })
      }).pipe(Effect.provide(world)),
    patience
  )

  it.live(
    "keeps data and talk apart, takes the store from MUSTER_STORE, and ends with the code's number",
    () =>
      Effect.gen(function* () {
        const { file } = yield* storeFolder
        const env = { MUSTER_STORE: file }
        const first = yield* run(["submit", "-w", "count", "-k", "one", "--json"], '{"n":1}', env)
        assert.strictEqual(first.code, 0)
        assert.strictEqual(first.err, "")
        const answer = document("muster submit", first.out)
        assert.strictEqual(answer["current_state"], "PENDING")
        const conflict = yield* run(["submit", "-w", "count", "-k", "one", '{"n":2}'], "", env)
        assert.strictEqual(conflict.code, 5)
        assert.strictEqual(conflict.out, "")
        assert.match(conflict.err, /^muster: ORCH_DUPLICATE_IDEMPOTENCY_KEY: .*\n$/)
        const shown = yield* run(["show", String(answer["job_id"]), "--json"], "", env)
        assert.deepInclude(document("muster show", shown.out), { payload: { n: 1 } })
        const wrong = yield* run(["shwo"], "", env)
        assert.strictEqual(wrong.code, 2)
        assert.strictEqual(wrong.out, "")
      }).pipe(Effect.provide(world)),
    patience
  )

  it.live(
    "colours only for a terminal, and never where NO_COLOR is set",
    () =>
      Effect.gen(function* () {
        const piped = yield* run(["machine", "job"], "", { FORCE_COLOR: "" })
        assert.notInclude(piped.out, "\u001B")
        const forced = yield* run(["machine", "job"], "", { FORCE_COLOR: "1" })
        assert.include(forced.out, "\u001B")
        const refused = yield* run(["machine", "job"], "", { FORCE_COLOR: "1", NO_COLOR: "1" })
        assert.notInclude(refused.out, "\u001B")
      }),
    patience
  )

  it.live(
    "follows events that another process makes, until it is interrupted: 0",
    () =>
      Effect.gen(function* () {
        const { file } = yield* storeFolder
        yield* run(["submit", "-w", "count", "1", "--store", file])
        const follower = start([...node, bin, "events", "--follow", "--json", "--store", file])
        const end = ended(follower)
        yield* Effect.promise(() => said(follower, '"sequence":1'))
        const fresh = said(follower, '"sequence":2')
        yield* run(["submit", "-w", "count", "2", "--store", file])
        yield* Effect.promise(() => fresh)
        follower.kill("SIGINT")
        const { code, err, out } = yield* Effect.promise(() => end)
        assert.strictEqual(code, 0)
        assert.strictEqual(err, "")
        for (const line of out.trim().split("\n")) document("muster events, and muster run: a move", line)
      }).pipe(Effect.provide(world)),
    patience
  )

  // macOS has no such device
  it.live.skipIf(!existsSync("/dev/full"))(
    "says that a full disk has taken no answer, and ends with 74; a run works its jobs all the same",
    () =>
      Effect.gen(function* () {
        const { file } = yield* storeFolder
        const full = (args: ReadonlyArray<string>) =>
          Effect.promise(() =>
            ended(
              spawn(process.execPath, [...node.slice(1), bin, "--store", file, ...args], {
                stdio: ["ignore", openSync("/dev/full", "w"), "pipe"]
              })
            )
          )
        const told = yield* full(["policy"])
        assert.strictEqual(told.code, exit.io)
        assert.match(told.err, /^muster: Standard output can't be written: .*\n {2}.*\n$/)
        const document = yield* full(["policy", "--json"])
        assert.deepInclude(JSON.parse(document.err), { code: "io", exit_code: exit.io })
        yield* run(["submit", "-w", "true", "1", "--store", file])
        yield* run(["submit", "-w", "true", "2", "--store", file])
        const worked = yield* full(["run", "--workflow", "true", "--", "true"])
        assert.strictEqual(worked.code, exit.io)
        const jobs = yield* run(["jobs", "--state", "COMPLETED", "--json", "--store", file])
        assert.strictEqual(jobs.out.trim().split("\n").length, 2)
      }).pipe(Effect.provide(world)),
    patience
  )

  it.live(
    "ends quietly when whoever reads it has read enough",
    () =>
      Effect.gen(function* () {
        const { file } = yield* storeFolder
        yield* run(["submit", "-w", "count", "1", "--store", file])
        const follower = start([...node, bin, "events", "--follow", "--json", "--store", file])
        const end = ended(follower)
        yield* Effect.promise(() => said(follower, '"sequence":1'))
        follower.stdout.destroy()
        yield* run(["submit", "-w", "count", "2", "--store", file])
        const { code, err } = yield* Effect.promise(() => end)
        assert.strictEqual(code, 0)
        assert.strictEqual(err, "")
      }).pipe(Effect.provide(world)),
    patience
  )
})
