import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { Assignment, Verdict } from "@muster/core"
import { assignment, gateSuite } from "@muster/core/testing"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as CommandGate from "../../src/adapters/CommandGate.ts"
import { isLiving, numbersIn } from "./process/Processes.ts"

const gate = (script: string, options: Partial<CommandGate.CommandGateOptions> = {}) =>
  CommandGate.make({ name: "tests", command: ["sh", "-c", script], stopGraceMillis: 100, ...options })

const judge = (
  script: string,
  options: Partial<CommandGate.CommandGateOptions> = {},
  changes: Partial<Assignment> = {}
) => Effect.scoped(gate(script, options).check(assignment(changes), '{"n":1}'))

const reasonsOf = (verdict: Verdict): Array<string> =>
  verdict._tag === "Reject" ? [...verdict.reasons] : assert.fail("it has to reject")

gateSuite(
  "CommandGate",
  Effect.succeed({
    gate: gate(`grep -q good || { echo "not good"; exit 1; }`),
    passes: { assignment: assignment(), result: '"good"' },
    rejects: { assignment: assignment(), result: '"bad"' },
    breaks: {
      gate: CommandGate.make({ name: "lost", command: ["no-such-program"] }),
      question: { assignment: assignment(), result: "1" }
    }
  })
)

describe("CommandGate", () => {
  it.live("reads the result from standard input and rejects with its last lines, of both streams", () =>
    Effect.gen(function* () {
      const verdict = yield* judge("cat; echo out; echo; echo err >&2; exit 3")
      assert.sameMembers(reasonsOf(verdict), ['{"n":1}', "out", "err"])
    })
  )

  it.live("rejects without lines, too", () =>
    Effect.gen(function* () {
      const verdict = yield* judge("exit 125")
      assert.deepStrictEqual(verdict, {
        _tag: "Reject",
        reasons: ["tests exited with 125 and said nothing"]
      })
    })
  )

  it.live("keeps the last lines of a long output, and cuts a long line", () =>
    Effect.gen(function* () {
      const verdict = yield* judge(`seq 100000; head -c 3000 /dev/zero | tr '\\0' x; echo; echo end; exit 1`)
      const reasons = reasonsOf(verdict)
      assert.lengthOf(reasons, 20)
      assert.strictEqual(reasons.at(-1), "end")
      assert.isAtMost(reasons.at(-2)?.length ?? 0, 1_024)
      assert.strictEqual(reasons.at(-3), "100000")
    })
  )

  for (const [script, says] of [
    ["exit 126", /exited with 126/],
    ["no-such-program", /exited with 127.*no-such-program/],
    ["exit 137", /exited with 137/],
    ["kill -9 $$", /SIGKILL/]
  ] as const)
    it.live(`is broken, not a rejection, after: ${script}`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(judge(script))
        assert.propertyVal(error, "_tag", "ORCH_PLUGIN_FAILED")
        assert.match(String(error), says)
      })
    )

  it.effect("is broken when it takes too long, and nothing of it is left", () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "muster-gate-"))),
        (path) => Effect.sync(() => rmSync(path, { recursive: true }))
      )
      const pids = join(folder, "pids")
      // Its scope stays open: the gate must not need the caller's to clean up.
      const slow = gate(`echo $$ > ${pids}; sleep 300`, { timeoutMillis: 60_000 })
      const fiber = yield* slow
        .check(assignment(), "1")
        .pipe(Effect.flip, Effect.forkChild({ startImmediately: true }))
      // The clock stands still until the process has begun.
      yield* Effect.suspend(() => (numbersIn(pids).length > 0 ? Effect.void : Effect.fail("not yet"))).pipe(
        Effect.eventually,
        TestClock.withLive
      )
      yield* TestClock.adjust("1 minute")
      assert.match(String(yield* Fiber.join(fiber)), /longer than 60000 ms/)
      assert.deepStrictEqual(numbersIn(pids).filter(isLiving), [])
    })
  )

  it.live("runs in the agent's workspace with the agent's environment", () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "muster-gate-"))),
        (path) => Effect.sync(() => rmSync(path, { recursive: true }))
      )
      const workspace = { ref: folder, path: folder }
      const check = `[ "$(pwd -P)" = "$(cd "$MUSTER_WORKSPACE" && pwd -P)" ] && [ "$MUSTER_JOB_ID" = job_7 ]`
      assert.deepStrictEqual(yield* judge(check, {}, { jobId: "job_7", workspace }), { _tag: "Pass" })
    })
  )

  it.live("fills placeholders, and fails where the payload doesn't have what it asks for", () =>
    Effect.gen(function* () {
      const fills = CommandGate.make({ name: "args", command: ["test", "{payload.n}", "=", "5"] })
      const ask = (payload: unknown) => Effect.scoped(fills.check(assignment({ payload }), "1"))
      assert.deepStrictEqual(yield* ask({ n: 5 }), { _tag: "Pass" })
      assert.propertyVal(yield* ask({ n: 6 }), "_tag", "Reject")
      assert.propertyVal(yield* Effect.flip(ask({})), "_tag", "CONTRACT_PAYLOAD_TYPE_MISMATCH")
    })
  )

  it.live("keeps secrets out of its reasons", () =>
    Effect.gen(function* () {
      const env = { DEPLOY_TOKEN: "s3cr3t-value-1" }
      const verdict = yield* judge("echo token is $DEPLOY_TOKEN; exit 1", { env })
      assert.deepStrictEqual(verdict, { _tag: "Reject", reasons: ["token is [redacted]"] })
    })
  )
})
