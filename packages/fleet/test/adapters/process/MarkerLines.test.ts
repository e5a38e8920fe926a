// Steps of agents that are programs: marker lines, their answers, and what a later life is told of them (R28, R32).
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { type AgentEvent, MarkerInvalid, type Markers } from "@muster/core"
import { assignment, recordMail, recordMarkers } from "@muster/core/testing"
import { Deferred, Effect, Exit, Fiber } from "effect"
import * as ProcessRunner from "../../../src/adapters/process/ProcessRunner.ts"
import { errorOf, sh } from "./Processes.ts"

const marker = (name: string, state: string, rest = "") =>
  `echo '{"type":"marker","name":"${name}","state":"${state}"${rest}}'`
/** Reads a line of its input into `$answer`. */
const reading = `read -r answer`
const telling = `printf '{"type":"result","result":%s}\\n' "$answer"`

const lines = (script: string, markers: Markers) =>
  sh(`read -r payload; ${script}`, {}, { stdin: "lines" }, {}, undefined, markers)

describe("marker lines", () => {
  it.live("are asked for in the order in which they are written, and before the result is told", () =>
    Effect.gen(function* () {
      const { asked, markers } = recordMarkers()
      const script = [
        marker("pay", "started"),
        marker("pay", "finished", `,"result":{"id":7}`),
        marker("mail", "started"),
        marker("mail", "cleared"),
        marker("log", "finished"),
        `echo '{"type":"result","result":1}'`
      ].join("; ")
      const { exit, lines: said } = yield* sh(script, {}, {}, {}, undefined, markers)
      assert.deepStrictEqual(exit, Exit.succeed(1))
      assert.deepStrictEqual(asked, [
        "start pay",
        `finish pay {"id":7}`,
        "start mail",
        "clear mail",
        "finish log null"
      ])
      assert.include(said, `step "pay" started`)
    })
  )

  it.live("are answered on standard input once they are durable, and not before", () =>
    Effect.gen(function* () {
      const durable = yield* Deferred.make<boolean>()
      const said = yield* Deferred.make<void>()
      const recorded = recordMarkers()
      const markers: Markers = { ...recorded.markers, start: () => Deferred.await(durable) }
      const events: Array<AgentEvent> = []
      const script = `${marker("pay", "started")}; ${reading}; echo answered; ${telling}`
      const running = yield* Effect.forkChild(
        sh(
          `read -r payload; ${script}`,
          {},
          { stdin: "lines" },
          {},
          (event) => {
            events.push(event)
            Deferred.doneUnsafe(said, Exit.void)
          },
          markers
        ),
        { startImmediately: true }
      )
      yield* Deferred.await(said)
      assert.isFalse(events.some((event) => event._tag === "Line" && event.text === "answered"))
      yield* Deferred.succeed(durable, true)
      const { exit } = yield* Fiber.join(running)
      assert.deepStrictEqual(exit, Exit.succeed({ type: "marker", name: "pay", state: "started", ok: true }))
    })
  )

  it.live(
    "are answered with a refusal when the life no longer owns its job, and with the result when the step is done",
    () =>
      Effect.gen(function* () {
        const { markers: refusing } = recordMarkers({ refuses: true })
        const script = `${marker("pay", "started")}; ${reading}; ${telling}`
        const refused = yield* lines(script, refusing)
        assert.deepInclude(Exit.getSuccess(refused.exit).valueOrUndefined, { ok: false, state: "started" })
        const { asked, markers } = recordMarkers({ finished: { pay: '{"id":7}' } })
        const done = yield* lines(script, markers)
        assert.deepStrictEqual(
          done.exit,
          Exit.succeed({ type: "marker", name: "pay", state: "finished", ok: true, result: { id: 7 } })
        )
        assert.deepStrictEqual(asked, [])
      })
  )

  it.live("that can't be kept are answered with what is wrong, or logged where there is no answer", () =>
    Effect.gen(function* () {
      const { markers } = recordMarkers()
      const detail = "it is one too many"
      const strict: Markers = {
        ...markers,
        start: (name) => Effect.fail(new MarkerInvalid({ jobId: "job_1", marker: name, detail }))
      }
      const script = `${marker("pay", "started")}; ${reading}; ${telling}`
      const answered = yield* lines(script, strict)
      assert.deepInclude(Exit.getSuccess(answered.exit).valueOrUndefined, { ok: false, error: detail })
      const { lines: said } = yield* sh(
        `${marker("pay", "started")}; ${marker("commit", "started")}`,
        {},
        {},
        {},
        undefined,
        strict
      )
      assert.includeMembers(
        [...said],
        [`step "pay": ${detail}`, `step "commit": the name "commit" is the runtime's own`]
      )
    })
  )

  it.live("of an attempt are kept under its number", () =>
    Effect.gen(function* () {
      const { asked, markers } = recordMarkers()
      const script = marker("think", "finished", `,"scope":"attempt","result":2`)
      yield* sh(script, {}, {}, { attempt: 3 }, undefined, markers)
      assert.deepStrictEqual(asked, ["finish think@3 2"])
    })
  )

  it.live("give a later life the finished steps in MUSTER_MARKERS, by the names that it gave them", () =>
    Effect.gen(function* () {
      const { markers } = recordMarkers({ finished: { pay: '{"id":7}', "think@2": '"no"' } })
      const show = `printf '{"type":"result","result":%s}' "$MUSTER_MARKERS"`
      const { exit } = yield* sh(show, {}, {}, { attempt: 2 }, undefined, markers)
      assert.deepStrictEqual(exit, Exit.succeed({ pay: { id: 7 }, think: "no" }))
      const none = yield* sh(`echo "\${MUSTER_MARKERS-none}"`, {}, { env: { MUSTER_MARKERS: "its host's" } })
      assert.deepStrictEqual(none.exit, Exit.succeed({ stdout: "none\n" }))
    })
  )

  it.live("that are more than a variable holds fail the attempt for good, unless the agent can ask", () =>
    Effect.gen(function* () {
      const finished = { a: JSON.stringify("x".repeat(65_000)), b: JSON.stringify("y".repeat(65_000)) }
      const { markers } = recordMarkers({ finished })
      const failed = errorOf(yield* sh("true", {}, {}, {}, undefined, markers))
      assert.strictEqual(failed.code, "CONTRACT_MARKER_INVALID")
      const script = `${marker("b", "started")}; ${reading}; ${telling}`
      const { exit } = yield* lines(script, markers)
      assert.propertyVal(Exit.getSuccess(exit).valueOrUndefined, "result", "y".repeat(65_000))
    })
  )

  it.live("that are said while the agent is being stopped are still asked for", () =>
    Effect.gen(function* () {
      const { asked, markers } = recordMarkers()
      const up = yield* Deferred.make<void>()
      const finish = marker("pay", "finished", `,"result":7`)
      const runner = yield* ProcessRunner.make({
        command: [
          "sh",
          "-c",
          `trap "${finish.replaceAll('"', '\\"')}; exit 0" TERM; ${marker("pay", "started")}; echo up; while :; do sleep 0.01; done`
        ],
        stopGraceMillis: 20_000
      })
      const fiber = yield* runner
        .run(
          assignment(),
          (event) => {
            if (event._tag === "Line" && event.text === "up") Deferred.doneUnsafe(up, Exit.void)
          },
          markers,
          recordMail().mail
        )
        .pipe(Effect.scoped, Effect.forkChild)
      yield* Deferred.await(up)
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(asked, ["start pay", "finish pay 7"])
    })
  )

  it.live("of an agent that is killed between start and end leave its step open", () =>
    Effect.gen(function* () {
      const folder = mkdtempSync(join(tmpdir(), "muster-markers-"))
      const { asked, markers } = recordMarkers()
      const effect = join(folder, "effect")
      const script = `${marker("pay", "started")}; ${reading}; echo done >> ${effect}; kill -9 $$`
      const run = yield* lines(script, markers)
      assert.strictEqual(errorOf(run).code, "ORCH_RETRYABLE_AGENT_CRASHED")
      assert.deepStrictEqual(asked, ["start pay"])
      assert.strictEqual(readFileSync(effect, "utf8"), "done\n")
      rmSync(folder, { recursive: true })
    })
  )
})
