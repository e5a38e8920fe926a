// Nothing of an agent outlives its run: whole groups, whatever their members do about signals. Real processes, real signals.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { assignment, recordMail, recordMarkers } from "@muster/core/testing"
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import * as ProcessRunner from "../../../src/adapters/process/ProcessRunner.ts"
import { interrupted, isLiving, numbersIn, sh } from "./Processes.ts"

/** Ignores TERM for ever, and so does what it starts. */
const deaf = "trap '' TERM"

const fileOfPids = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "muster-stop-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true }))
  ),
  (folder) => join(folder, "pids")
)

describe("an interrupted agent", () => {
  for (const [what, script] of [
    ["alone", "echo $$; exec sleep 300"],
    ["with children and grandchildren", "sh -c 'sleep 300 & echo $$ $!; wait' & wait"],
    [
      "that ignores TERM, with grandchildren that do, too",
      `${deaf}; sh -c 'sleep 300 & echo $PPID $$ $!; wait' & wait`
    ],
    ["that is stopped", "echo $$; kill -STOP $$"],
    [
      "whose leader goes at once while its children stay",
      `(${deaf}; sleep 300 & echo $!; wait) & trap 'exit 0' TERM; wait`
    ],
    ["that forks again and again", `${deaf}; echo $$; while :; do sleep 300 & sleep 0.01; done`]
  ] as const)
    it.live(`${what} is gone with its whole group when the interruption returns`, () =>
      Effect.gen(function* () {
        const { pids, survivors, wereLiving } = yield* interrupted(script)
        assert.isTrue(wereLiving, "it was there before")
        assert.isNotEmpty(pids)
        assert.deepStrictEqual(survivors, [])
      })
    )

  it.live("is asked to go first, and what it says then is heard", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const up = yield* Deferred.make<void>()
      const runner = yield* ProcessRunner.make({
        command: ["sh", "-c", "trap 'echo saved; exit 0' TERM; echo up; while :; do sleep 0.01; done"],
        stopGraceMillis: 20_000
      })
      const fiber = yield* runner
        .run(
          assignment(),
          (event) => {
            if (event._tag !== "Line") return
            lines.push(event.text)
            Deferred.doneUnsafe(up, Exit.void)
          },
          recordMarkers().markers,
          recordMail().mail
        )
        .pipe(Effect.scoped, Effect.forkChild)
      yield* Deferred.await(up)
      yield* Fiber.interrupt(fiber)
      assert.include(lines, "saved")
    })
  )

  it.live("is killed when its grace is over, not later and not before", () =>
    Effect.gen(function* () {
      const started = performance.now()
      yield* interrupted(`${deaf}; echo $$; while :; do sleep 1; done`, { stopGraceMillis: 300 })
      const took = performance.now() - started
      assert.isAtLeast(took, 300)
      assert.isBelow(took, 5_000)
    })
  )

  it.live("is killed at once without a grace", () =>
    Effect.gen(function* () {
      const { survivors } = yield* interrupted(`${deaf}; echo $$; while :; do sleep 1; done`, {
        stopGraceMillis: 0
      })
      assert.deepStrictEqual(survivors, [])
    })
  )
})

describe("an agent that has ended by itself", () => {
  for (const [what, script] of [
    ["children", "sleep 300 & echo $!"],
    ["children that hold none of its output", "sleep 300 >/dev/null 2>&1 & echo $!"],
    ["children that ignore TERM", `${deaf}; sleep 300 & echo $!`]
  ] as const)
    it.live(`leaves no ${what}, and its result counts`, () =>
      Effect.gen(function* () {
        const { exit, lines } = yield* sh(`${script}; echo '{"type":"result","result":7}'`)
        assert.deepStrictEqual(exit, Exit.succeed(7))
        assert.isNotEmpty(lines)
        assert.deepStrictEqual(lines.map(Number).filter(isLiving), [])
      })
    )

  it.live("with a failure leaves nothing either", () =>
    Effect.gen(function* () {
      const { exit, lines } = yield* sh("sleep 300 & echo $!; exit 3")
      assert.isTrue(Exit.hasFails(exit))
      assert.deepStrictEqual(lines.map(Number).filter(isLiving), [])
    })
  )

  it.live("is not waited for when a process outside its group holds its output open", () =>
    Effect.gen(function* () {
      const pids = yield* fileOfPids
      const daemon = `use POSIX; POSIX::setsid(); open F, ">", "${pids}"; print F $$; close F; exec "sleep", "300"`
      const script = `perl -e '${daemon}' & while [ ! -s ${pids} ]; do sleep 0.01; done; echo done`
      const { exit } = yield* sh(script)
      assert.deepStrictEqual(exit, Exit.succeed({ stdout: "done\n" }))
      const outside = numbersIn(pids).filter(isLiving)
      for (const pid of outside) process.kill(pid, "SIGKILL")
      assert.lengthOf(outside, 1, "it was there, and in no group of ours")
    })
  )

  it.live("is read to its end, whatever stands in the pipe when it goes", () =>
    Effect.gen(function* () {
      const { exit } = yield* sh(
        `head -c 60000 /dev/zero | tr '\\0' x; echo; echo '{"type":"result","result":"last"}'`
      )
      assert.deepStrictEqual(exit, Exit.succeed("last"))
    })
  )
})

describe("a scope", () => {
  it.live("that closes after the agent's end has nothing left to do", () =>
    Effect.gen(function* () {
      const runner = yield* ProcessRunner.make({ command: ["true"] })
      const scope = yield* Scope.make()
      yield* runner
        .run(assignment(), () => undefined, recordMarkers().markers, recordMail().mail)
        .pipe(Scope.provide(scope))
      yield* Scope.close(scope, Exit.void)
    })
  )

  it.live("stops many agents at once", () =>
    Effect.gen(function* () {
      const runs = Array.from({ length: 20 }, () => interrupted("sleep 300 & echo $$ $!; wait"))
      const all = yield* Effect.all(runs, { concurrency: "unbounded" })
      assert.deepStrictEqual(
        all.flatMap(({ survivors }) => survivors),
        []
      )
    })
  )
})
