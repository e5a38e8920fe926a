// What a dead host left running is found by its token and killed; nothing else is. Real processes.
import { type ChildProcess, spawn } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as GroupSignal from "../../../src/adapters/process/GroupSignal.ts"
import * as NodeProcessReaper from "../../../src/adapters/process/NodeProcessReaper.ts"
import { ProcessReaper } from "../../../src/adapters/process/ProcessReaper.ts"
import { isLiving } from "./Processes.ts"

/** Tokens of this run of the tests alone: other runs on this machine must be left in peace. */
const token = (name: string) => `test-${process.pid}:${name}:1`

interface Left {
  readonly child: ChildProcess
  readonly pids: ReadonlyArray<number>
}

const killGroup = ({ pid }: ChildProcess) => {
  if (pid !== undefined) GroupSignal.send(pid, "SIGKILL")
}

/** A process such as a killed host leaves: nobody's, in a group of its own. Its first line tells pids. */
const left = (script: string, env: Readonly<Record<string, string>>) =>
  Effect.acquireRelease(
    Effect.callback<Left>((resume) => {
      const child = spawn("sh", ["-c", script], {
        detached: true,
        env: { ...process.env, ...env },
        stdio: ["ignore", "pipe", "inherit"]
      })
      child.stdout.once("data", (line: Buffer) =>
        resume(Effect.succeed({ child, pids: line.toString().trim().split(" ").map(Number) }))
      )
    }),
    ({ child }) => Effect.sync(() => killGroup(child))
  )

const reap = (tokens: ReadonlyArray<string>) =>
  ProcessReaper.use((reaper) => reaper.reap(tokens)).pipe(Effect.provide(NodeProcessReaper.layer))

const find = (tokens: ReadonlyArray<string>) =>
  ProcessReaper.use((reaper) => reaper.find(tokens)).pipe(Effect.provide(NodeProcessReaper.layer))

describe("ProcessReaper", () => {
  it.live("kills the groups of all that carry the token, TERM or not, and says what it killed", () =>
    Effect.gen(function* () {
      const MUSTER_TOKEN = token("dead")
      const deaf = yield* left("trap '' TERM; sleep 300 & echo $$ $!; while :; do sleep 1; done", {
        MUSTER_TOKEN
      })
      const clean = yield* left("env -i sleep 300 & echo $$ $!; wait", { MUSTER_TOKEN })
      const found = yield* find([MUSTER_TOKEN])
      assert.includeMembers(
        found.map(({ pid }) => pid),
        [...deaf.pids, clean.pids[0] ?? 0]
      )
      assert.deepStrictEqual(deaf.pids.filter(isLiving), deaf.pids)
      const report = yield* reap([MUSTER_TOKEN])
      assert.deepStrictEqual([...deaf.pids, ...clean.pids].filter(isLiving), [])
      assert.deepStrictEqual(report.left, [])
      assert.includeMembers(
        report.killed.map(({ pid }) => pid),
        [...deaf.pids, clean.pids[0] ?? 0]
      )
      assert.isTrue(report.killed.every((killed) => killed.token === MUSTER_TOKEN))
    })
  )

  it.live("leaves everybody else alone: other tokens, longer ones, tokens in arguments (R20)", () =>
    Effect.gen(function* () {
      const MUSTER_TOKEN = token("mine")
      const others = [
        yield* left("echo $$; exec sleep 300", { MUSTER_TOKEN: token("other") }),
        yield* left("echo $$; exec sleep 300", { MUSTER_TOKEN: `${MUSTER_TOKEN}0` }),
        yield* left("echo $$; exec sleep 300", { NOT_MUSTER_TOKEN: MUSTER_TOKEN }),
        yield* left(`echo $$; sleep 300; : MUSTER_TOKEN=${MUSTER_TOKEN}`, { MUSTER_TOKEN: "" })
      ]
      const report = yield* reap([MUSTER_TOKEN, ""])
      assert.deepStrictEqual(report, { killed: [], left: [] })
      assert.isTrue(others.every(({ pids }) => pids.every(isLiving)))
    })
  )

  it.live("has nothing to do for no tokens, and for a second time", () =>
    Effect.gen(function* () {
      const MUSTER_TOKEN = token("twice")
      yield* left("echo $$; exec sleep 300", { MUSTER_TOKEN })
      assert.deepStrictEqual(yield* reap([]), { killed: [], left: [] })
      assert.lengthOf((yield* reap([token("unused"), MUSTER_TOKEN])).killed, 1)
      assert.deepStrictEqual(yield* reap([MUSTER_TOKEN]), { killed: [], left: [] })
    })
  )

  it.live("never kills the group that asks, even if it carries the token", () =>
    Effect.gen(function* () {
      const MUSTER_TOKEN = token("self")
      const source = new URL("../../../src/adapters/process/NodeProcessReaper.ts", import.meta.url).href
      const code = `
        import { Effect } from "effect"
        import * as Reaper from ${JSON.stringify(source)}
        import { ProcessReaper } from ${JSON.stringify(source.replace("NodeProcessReaper", "ProcessReaper"))}
        const report = await Effect.runPromise(
          ProcessReaper.use((reaper) => reaper.reap([process.env.MUSTER_TOKEN])).pipe(Effect.provide(Reaper.layer)))
        console.log(JSON.stringify(report))`
      const output = yield* Effect.callback<string>((resume) => {
        // The shell around it is in its group and carries the token, too.
        const child = spawn(
          "sh",
          ["-c", '"$NODE" --conditions=@muster/source --input-type=module -e "$CODE"; exit'],
          {
            cwd: new URL("../../..", import.meta.url),
            detached: true,
            env: { ...process.env, MUSTER_TOKEN, NODE: process.execPath, CODE: code },
            stdio: ["ignore", "pipe", "inherit"]
          }
        )
        let text = ""
        child.stdout.on("data", (chunk: Buffer) => {
          text += chunk.toString()
        })
        child.once("close", () => resume(Effect.succeed(text)))
      })
      assert.deepStrictEqual(JSON.parse(output), { killed: [], left: [] })
    })
  )

  it("reads carriers out of ps where there is no /proc, and takes no argument for an environment", () => {
    const without = [
      "  11    11 S    /bin/sh -c agent",
      "  12    11 S    sleep 300",
      "  13    13 S    grep MUSTER_TOKEN=s:h:1",
      "  14    14 Z    (sh)",
      "  15    15 S    vim"
    ].join("\n")
    const withEnvironment = [
      "  11    11 S    /bin/sh -c agent PATH=/bin MUSTER_TOKEN=s:h:1 X=1",
      "  12    11 S    sleep 300 MUSTER_TOKEN=s:h:1",
      "  13    13 S    grep MUSTER_TOKEN=s:h:1 PATH=/bin",
      "  14    14 Z    (sh) MUSTER_TOKEN=s:h:1",
      "  15    15 S    vim MUSTER_TOKEN=s:h:10",
      "  16    16 S    new MUSTER_TOKEN=s:h:1"
    ].join("\n")
    assert.deepStrictEqual(NodeProcessReaper.carriersOf(withEnvironment, without, new Set(["s:h:1"])), [
      { pid: 11, pgid: 11, token: "s:h:1" },
      { pid: 12, pgid: 11, token: "s:h:1" }
    ])
  })
})
