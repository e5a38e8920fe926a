// Operators in one process, a host at work in another, a real file between them.
import { existsSync, watch } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "vitest"
import { inFolder, isAlive, type Scene, summaryIn } from "./MusterProcess.ts"

const numbers = (count: number) => Array.from({ length: count }, (_, index) => ({ n: index + 1 }))
const patience = 60_000

type Document = Readonly<Record<string, unknown>>

/** A command that answers with one JSON document. */
const type = async (scene: Scene, ...args: ReadonlyArray<string>): Promise<Document> => {
  const { code, err, out } = await scene.start(...args, "--json").ended
  assert.strictEqual(code, 0, `${args.join(" ")}: ${out}${err}`)
  // an object, as every document is
  return JSON.parse(out) as Document
}

const count = (state: string) => `SELECT count(*) AS n FROM jobs WHERE current_state = '${state}'`

/** Resolves when the query over the store's own views answers with `n`: asked again with each write into the folder. */
const stored = (scene: Scene, sql: string, n: number): Promise<void> =>
  new Promise((resolve) => {
    const look = (): void => {
      if (!existsSync(scene.path(".muster/fleet.db"))) return
      const file = new DatabaseSync(scene.path(".muster/fleet.db"), { readOnly: true, timeout: 5_000 })
      const [row] = file.prepare(sql).all()
      file.close()
      if (row?.["n"] !== n) return
      watcher.close()
      resolve()
    }
    const watcher = watch(scene.path(".muster"), look)
    look()
  })

/** Whether this host has banked that it is in this mode. */
const banked = (mode: string, host = 1) =>
  `SELECT count(*) AS n FROM bank WHERE host = ${host} AND bank LIKE '%"mode":"${mode}"%'`

const status = (scene: Scene) => type(scene, "status")
const hostOf = (document: Document): Document =>
  (document["hosts"] as ReadonlyArray<Document>).find((host) => host["beating"] === true) ?? {} // by schema

/** The folder of the store is made by the host, which is the first thing that it does. */
const begun = async (scene: Scene, n: number): Promise<void> => {
  await appeared(scene, "started", n)
  await stored(scene, count("PROCESSING"), n)
}

/** Resolves when the file has so many lines. */
const appeared = (scene: Scene, name: string, n: number): Promise<void> =>
  new Promise((resolve) => {
    const look = (): void => {
      if (scene.lines(name).length < n) return
      watcher.close()
      resolve()
    }
    const watcher = watch(scene.folder, look)
    look()
  })

/** An agent that works until its file appears. */
const patient = 'echo "{n} $$" >> started; while [ ! -e "go{n}" ]; do sleep 0.05; done; echo {n} >> ended'

describe("operators beside a running host", () => {
  it(
    "pause: what runs lands, nothing new starts, kill -9 and a restart change nothing; resume goes on",
    () =>
      inFolder(async (scene) => {
        scene.write("jobs.jsonl", numbers(6))
        const command = ["run", "jobs.jsonl", "--slots", "2", "--", "sh", "-c", patient]
        const first = scene.start(...command)
        await begun(scene, 2)
        const pause = await type(scene, "pause", "--reason", "maintenance")
        assert.deepInclude(pause, { outcome: null, mode: "paused" })
        // the host says by its bank that it has seen it
        await stored(scene, banked("paused"), 1)
        scene.write("go1", [])
        scene.write("go2", [])
        await stored(scene, count("COMPLETED"), 2)
        assert.strictEqual(scene.lines("started").length, 2)
        first.child.kill("SIGKILL")
        await first.ended

        const second = scene.start(...command)
        await stored(scene, banked("paused", 2), 1)
        const paused = await status(scene)
        assert.strictEqual(paused["mode"], "paused")
        const pauses = paused["pauses"] as ReadonlyArray<Document> // by schema
        assert.deepInclude(pauses[0], {
          actor: pause["actor"],
          reason: "maintenance"
        })
        for (const n of [3, 4, 5, 6]) scene.write(`go${n}`, [])
        assert.strictEqual(scene.lines("started").length, 2)
        assert.deepInclude(await type(scene, "resume"), { outcome: "resumed", mode: "running" })
        const { code, err, out } = await second.ended
        assert.strictEqual(code, 0, out)
        assert.match(err, /^The fleet is paused by operator:.* \(maintenance\): nothing starts/m)
        assert.match(out, /6 landed/)
        assert.strictEqual(scene.lines("started").length, 6)
      }),
    patience
  )

  it(
    "drain --wait returns when nothing runs; scale changes the slots of the running host, and kills nobody",
    () =>
      inFolder(async (scene) => {
        scene.write("jobs.jsonl", numbers(8))
        const run = scene.start("run", "jobs.jsonl", "--slots", "1", "--json", "--", "sh", "-c", patient)
        await begun(scene, 1)
        assert.deepInclude(await type(scene, "scale", "3"), { slots: 3, outcome: null })
        await stored(scene, count("PROCESSING"), 3)
        assert.deepInclude(hostOf(await status(scene)), { slots: 3, used_slots: 3 })
        await type(scene, "scale", "2", "--host", "1")
        const draining = scene.start("drain", "--wait", "--json")
        await stored(scene, banked("draining"), 1)
        scene.write("go1", [])
        await stored(scene, count("COMPLETED"), 1)
        assert.isNull(draining.child.exitCode)
        assert.strictEqual(scene.lines("started").length, 3)
        scene.write("go2", [])
        scene.write("go3", [])
        const drained = await draining.ended
        assert.deepInclude(JSON.parse(drained.out), { kind: "drain", outcome: "drained" })
        assert.strictEqual(scene.lines("ended").length, 3)
        await stored(scene, count("PROCESSING"), 2)
        for (const n of [4, 5, 6, 7, 8]) scene.write(`go${n}`, [])
        const { code, out } = await run.ended
        assert.strictEqual(code, 0, out)
      }),
    patience
  )

  it(
    "cancel: a working job's agent is gone, forking and ignoring TERM as it may; a waiting one never starts; nothing else is disturbed",
    () =>
      inFolder(async (scene) => {
        scene.write("jobs.jsonl", numbers(4))
        const agent = [
          "echo $$ >> pids",
          "[ {n} = 1 ] && { trap '' TERM; (trap '' TERM; while :; do sleep 0.2; done) & echo $! >> pids; while :; do sleep 0.2; done; }",
          patient
        ].join("; ")
        const run = scene.start("run", "jobs.jsonl", "--slots", "2", "--json", "--", "sh", "-c", agent)
        await appeared(scene, "pids", 3)
        await stored(scene, count("PROCESSING"), 2)
        assert.deepInclude(await type(scene, "cancel", "4"), { outcome: "cancelled" })
        assert.deepInclude(await type(scene, "cancel", "1", "--reason", "stuck"), {
          outcome: "cancelled",
          current_state: "CANCELLED"
        })
        await stored(scene, "SELECT count(*) AS n FROM agents WHERE current_state = 'tombstoned'", 1)
        const shown = await type(scene, "show", "1")
        assert.deepInclude(shown["agent"], { disposition: "discarded" })
        for (const n of [2, 3]) scene.write(`go${n}`, [])
        const { code, out } = await run.ended
        assert.strictEqual(code, 3, out)
        assert.deepInclude(summaryIn(out), { completed: 2, cancelled: 2 })
        assert.deepStrictEqual(scene.lines("ended"), ["2", "3"])
        assert.deepStrictEqual(scene.lines("pids").map(Number).filter(isAlive), [])
      }),
    patience
  )

  it(
    "processes that replay one letter at once, beside a running host, make one job",
    () =>
      inFolder(async (scene) => {
        scene.write("jobs.jsonl", numbers(1))
        const agent = "echo {n} >> runs; [ -e mended ] || exit 65; echo fine"
        const command = ["run", "--workflow", "fix", "--", "sh", "-c", agent]
        const first = await scene.start("run", "jobs.jsonl", ...command.slice(1)).ended
        assert.strictEqual(first.code, 3, first.out + first.err)
        scene.write("mended", [])
        // a host that has work of its own meanwhile
        scene.write("slow.jsonl", [{ n: 7 }])
        const host = scene.start("run", "slow.jsonl", "--json", "--", "sh", "-c", patient)
        await stored(scene, count("PROCESSING"), 1)
        const replays = await Promise.all(
          Array.from({ length: 8 }, () => scene.start("dlq", "replay", "1", "--json").ended)
        )
        for (const { code, err } of replays) assert.strictEqual(code, 0, err)
        // objects, as every line is
        const answers = replays.map(({ out }) => JSON.parse(out) as Document)
        assert.strictEqual(answers.filter(({ outcome }) => outcome === "replayed").length, 1)
        assert.strictEqual(new Set(answers.map(({ replayed_by }) => replayed_by)).size, 1)
        const second = await scene.start(...command).ended
        assert.strictEqual(second.code, 0, second.out + second.err)
        assert.strictEqual(scene.lines("runs").length, 2)
        scene.write("go7", [])
        assert.strictEqual((await host.ended).code, 0)
      }),
    patience
  )
})
