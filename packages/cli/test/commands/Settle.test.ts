// `muster settle`: what became of a step of which nobody knows whether it was done (R24, R28), as typed.
import { assert, layer } from "@effect/vitest"
import { SqliteStore } from "@muster/store-sqlite"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { document, storeFolder, world } from "../CommandLine.ts"
import { enlist } from "../HandMadeHost.ts"

/** A store with one parked job, whose agent began these steps and then failed; the host that did it has gone silent. */
const parkedAt = Effect.fnUntraced(function* (...steps: ReadonlyArray<string>) {
  const { file, type } = yield* storeFolder
  yield* type(["submit", "-w", "pay", '{"n":1}'])
  yield* Effect.provide(
    Effect.gen(function* () {
      const host = yield* enlist
      yield* host.take(1)
      for (const step of steps) yield* host.beginStep(1, step)
      yield* host.fail(1, "EXT_BANK", "no answer")
    }),
    SqliteStore.layer({ filename: file })
  )
  yield* TestClock.adjust("1 minute")
  const show = Effect.map(type(["show", "1", "--json"]), ({ out }) => document("muster show", out[0]))
  return { type, show }
})

layer(world)("muster settle", (it) => {
  it.effect("is asked for by status, which counts the jobs that wait for it", () =>
    Effect.gen(function* () {
      const { type } = yield* parkedAt("charge")
      const parked = Effect.map(
        type(["status", "--json"]),
        ({ out }) => document("muster status", out[0])["parked"]
      )
      assert.strictEqual(yield* parked, 1)
      assert.match((yield* type(["status"])).out.join("\n"), /parked +1, until somebody says .*muster settle/)
      yield* type(["settle", "1", "--done", "--reason", "in the books"])
      assert.strictEqual(yield* parked, 0)
      assert.notInclude((yield* type(["status"])).out.join("\n"), "parked")
    })
  )

  it.effect(
    "says in show what is asked and what to type, and then that it was done, while no host runs",
    () =>
      Effect.gen(function* () {
        const { show, type } = yield* parkedAt("charge")
        const parked = yield* show
        assert.deepInclude(parked["hold"], { kind: "outcome_unknown", markers: ["charge"] })
        assert.deepInclude(parked["agent"], { steps: ["charge"] })
        assert.match(String(parked["next"]), /began "charge" .*was it done\?.* muster settle 1 --done/)
        const page = (yield* type(["show", "1"])).out.join("\n")
        assert.match(page, /steps\n.*\n +charge +started +1/)
        const said = yield* type([
          "settle",
          "1",
          "--done",
          "--result",
          '{"id":7}',
          "--reason",
          "in the books",
          "--json"
        ])
        assert.strictEqual(said.exitCode, 0)
        assert.deepInclude(document("muster settle", said.out[0]), {
          current_state: "RETRY_SCHEDULED",
          marker: "charge",
          answer: "done",
          outcome: "settled"
        })
        const settled = yield* show
        assert.isNull(settled["hold"])
        assert.deepInclude(settled["markers"], {
          ...Object(settled["markers"])[0],
          name: "charge",
          state: "finished",
          result: { id: 7 }
        })
        const note = Object(settled["events"]).find(
          ({ event }: { event: string }) => event === "marker_settled"
        )
        assert.match(note.actor, /^operator:./)
        assert.deepInclude(note.detail, { reason: "in the books" })
        assert.strictEqual((yield* type(["audit"])).exitCode, 0)
      })
  )

  it.effect("lets the next life do what was not done, and ends a job that must not go on", () =>
    Effect.gen(function* () {
      const { show, type } = yield* parkedAt("charge", "mail")
      assert.strictEqual((yield* type(["settle", "1", "mail", "--not-done"])).exitCode, 0)
      assert.deepInclude((yield* show)["hold"], { markers: ["charge"] })
      const failed = yield* type(["settle", "1", "--fail", "--reason", "closed"])
      assert.strictEqual(failed.exitCode, 0)
      assert.include(failed.out[0], "DEAD_LETTERED")
      const ended = yield* show
      assert.deepInclude(ended, {
        current_state: "DEAD_LETTERED",
        last_error_code: "ORCH_OUTCOME_UNKNOWN",
        hold: null
      })
      assert.deepInclude(ended["dead_letter"], { failure_error_code: "ORCH_OUTCOME_UNKNOWN" })
      assert.strictEqual((yield* type(["audit"])).exitCode, 0)
    })
  )

  it.effect("asks which step where there are several, and says what is too late, with the code's exit", () =>
    Effect.gen(function* () {
      const { type } = yield* parkedAt("charge", "mail")
      const which = yield* type(["settle", "1", "--done"])
      assert.strictEqual(which.exitCode, 6)
      assert.include(which.err, `"charge", "mail"`)
      yield* type(["settle", "1", "charge", "--done"])
      const late = yield* type(["settle", "1", "charge", "--not-done", "--json"])
      assert.strictEqual(late.exitCode, 6)
      assert.include(late.err, "ORCH_SETTLE_TOO_LATE")
    })
  )

  it.effect("answers a repeated request with what came of the first (R24)", () =>
    Effect.gen(function* () {
      const { type } = yield* parkedAt("charge")
      const first = yield* type(["settle", "1", "--done", "--request-id", "r", "--json"])
      const again = yield* type(["settle", "1", "--done", "--request-id", "r", "--json"])
      assert.deepStrictEqual([again.exitCode, again.out], [0, first.out])
    })
  )

  it.effect("refuses command lines that say nothing, too much, or no JSON", () =>
    Effect.gen(function* () {
      const { show, type } = yield* parkedAt("charge")
      for (const words of [
        [],
        ["--done", "--not-done"],
        ["--not-done", "--result", "1"],
        ["--fail"],
        ["--done", "--result", "{"]
      ])
        assert.strictEqual((yield* type(["settle", "1", ...words])).exitCode, 2, words.join(" "))
      assert.deepInclude((yield* show)["hold"], { markers: ["charge"] })
    })
  )
})
