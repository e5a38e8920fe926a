// The small pure parts of a run: names, keys, lengths of time, what people are told to type, what a result looks like at a glance.
import { assert, describe, it } from "@effect/vitest"
import { limits } from "@muster/core"
import { Schema } from "effect"
import { parseMillis } from "../../src/run/DurationText.ts"
import { freshKeys } from "../../src/run/FreshKeys.ts"
import { commandLine, prefix, quoted, type Started } from "../../src/run/Invocation.ts"
import type { JobLine } from "../../src/run/JobLine.ts"
import { briefResult } from "../../src/run/StateLine.ts"
import * as WorkflowName from "../../src/run/WorkflowName.ts"

describe("the name of a command", () => {
  it("is the program's, and the same for the same command only (R34)", () => {
    const name = WorkflowName.ofCommand(["/usr/bin/python3", "-u", "agent.py"])
    assert.match(name, /^python3-[0-9a-f]{8}$/)
    assert.strictEqual(WorkflowName.ofCommand(["/usr/bin/python3", "-u", "agent.py"]), name)
    assert.notStrictEqual(WorkflowName.ofCommand(["/usr/bin/python3", "-u agent.py"]), name)
  })

  it.prop(
    "is one that a workflow can have, whatever the command",
    [Schema.String, Schema.String],
    ([program, arg]) => {
      assert.match(WorkflowName.ofCommand([program, arg]), /^[\w+][\w.+-]*-[0-9a-f]{8}$/)
      assert.isAtMost(WorkflowName.ofCommand([program, arg]).length, limits.workflowTypeLength)
    }
  )
})

describe("a length of time", () => {
  it("is a number with its unit", () => {
    const read = ["500ms", "1.5s", "2m", "1h", "90 seconds", "2 Minutes", "0s"].map(parseMillis)
    assert.deepStrictEqual(read, [500, 1_500, 120_000, 3_600_000, 90_000, 120_000, 0])
  })

  it("is nothing else", () => {
    for (const text of ["", "5", "s", "-1s", "1 fortnight", "1s 2m", "constructor", "1constructor"]) {
      assert.isUndefined(parseMillis(text), text)
    }
  })
})

describe("fresh keys", () => {
  const line = (n: number, key?: string): JobLine => ({
    _tag: "Job",
    line: n,
    submission: {
      workflowType: "w",
      payload: { n: n % 2 },
      ...(key === undefined ? {} : { idempotencyKey: key })
    }
  })
  const keys = (runId: string, ...lines: ReadonlyArray<JobLine>) =>
    freshKeys(lines, runId).map(({ submission }) => submission.idempotencyKey)

  it("are the same for the same operation within a run, and others in another (R34)", () => {
    const [one, two, again] = keys("a", line(1), line(2), line(3))
    assert.strictEqual(one, again)
    assert.notStrictEqual(one, two)
    assert.notStrictEqual(one, keys("b", line(1))[0])
    assert.deepStrictEqual(keys("a", line(1, "mine")), ["mine@a"])
  })

  it("never grow longer than keys may be", () => {
    const [key] = keys("a", line(1, "k".repeat(limits.keyLength)))
    assert.isAtMost(String(key).length, limits.keyLength)
  })
})

describe("what people are told to type", () => {
  const at = (over: Partial<Started>, ...files: ReadonlyArray<string>): Started => ({
    env: { PATH: "/repo/node_modules/.bin:/usr/bin" },
    script: "/repo/node_modules/.bin/muster",
    flags: [],
    cwd: "/repo",
    exists: (path) => files.includes(path),
    ...over
  })
  const scriptOf = (agent: string, path: string) => ({
    env: { npm_lifecycle_event: "demo", npm_config_user_agent: agent, PATH: path }
  })

  it("is the command's name where the shell finds it", () => {
    assert.strictEqual(prefix(at({}, "/usr/bin/muster")), "muster")
  })

  it("is npx where only the project has it", () => {
    assert.strictEqual(prefix(at({}, "/repo/node_modules/.bin/muster")), "npx muster")
    assert.strictEqual(prefix(at({ script: "/x/muster.js", env: { npm_command: "exec" } })), "npx muster")
  })

  it("is the package manager's script where one started it, fetched again if it was fetched", () => {
    const pnpm = "pnpm/12.4.2 npm/? node/v24.21.0 linux x64"
    assert.strictEqual(prefix(at(scriptOf(pnpm, "/usr/bin"), "/usr/bin/pnpm")), "pnpm muster")
    const fetched = scriptOf(pnpm, "/home/a/.npm/_npx/1/node_modules/.bin:/usr/bin")
    assert.strictEqual(
      prefix(at(fetched, "/home/a/.npm/_npx/1/node_modules/.bin/pnpm")),
      "npx -y pnpm@12.4.2 muster"
    )
    const npm = scriptOf("npm/11.0.0 node/v24.21.0", "/usr/bin")
    assert.strictEqual(prefix(at(npm, "/usr/bin/npm")), "npm run muster --")
  })

  it("is the script itself where nothing else is known, with what Node.js needs before it", () => {
    const started = at({ script: "/repo/a dir/muster.js", flags: ["--conditions=@muster/source"] })
    assert.strictEqual(prefix(started), "node --conditions=@muster/source 'a dir/muster.js'")
  })

  it("names the store where the command wouldn't find it by itself", () => {
    const started = at({}, "/usr/bin/muster")
    assert.strictEqual(commandLine(started, ".muster/fleet.db", ["show", "k-1"]), "muster show k-1")
    assert.strictEqual(
      commandLine(started, "it's.db", ["run"], ["--", "sh", "-c", "echo $1"]),
      `muster run --store 'it'\\''s.db' -- sh -c 'echo $1'`
    )
    const known = at({ env: { PATH: "/usr/bin", MUSTER_STORE: "a.db" } }, "/usr/bin/muster")
    assert.strictEqual(commandLine(known, "a.db", ["status"]), "muster status")
  })

  it("leaves out the store that the configuration names, and names a configuration that was named", () => {
    const settled = { ...at({}, "/usr/bin/muster"), store: "b.db", config: "other.ts" }
    assert.strictEqual(commandLine(settled, "b.db", ["status"]), "muster status --config other.ts")
    assert.strictEqual(
      commandLine(settled, ".muster/fleet.db", ["status"]),
      "muster status --store .muster/fleet.db --config other.ts"
    )
  })

  it("is quoted as a shell needs it", () => {
    assert.deepStrictEqual(["plain-1.2/x", "", "a b", "$HOME", "it's"].map(quoted), [
      "plain-1.2/x",
      "''",
      "'a b'",
      "'$HOME'",
      String.raw`'it'\''s'`
    ])
  })
})

describe("a result at a glance", () => {
  it("is the last line of an output, else its JSON in one line", () => {
    assert.strictEqual(briefResult('{"stdout":"one\\ntwo\\n"}'), "two")
    assert.strictEqual(briefResult('{"stdout":""}'), "")
    assert.strictEqual(briefResult('{"a":[1,2]}'), '{"a":[1,2]}')
    assert.strictEqual(briefResult("null"), "")
    assert.strictEqual(briefResult(null), "")
    assert.isAtMost(briefResult(JSON.stringify("x".repeat(5_000))).length, 120)
  })
})
