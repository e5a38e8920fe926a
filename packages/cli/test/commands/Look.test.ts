import { assert, layer } from "@effect/vitest"
import { JobMachine, Machine } from "@muster/core"
import { ConfigProvider, Effect, FileSystem } from "effect"
import { TestClock } from "effect/testing"
import { document, storeFolder, type, world } from "../CommandLine.ts"
import { scene } from "../JobScene.ts"

const moves = "muster events, and muster run: a move"

layer(world)("commands that look", (it) => {
  it.effect("never make a store: they say that there is none, and how to begin", () =>
    Effect.gen(function* () {
      const { file, folder, type } = yield* storeFolder
      for (const args of [
        ["status"],
        ["jobs"],
        ["show", "1"],
        ["events"],
        ["dlq", "list"],
        ["dlq", "show", "1"],
        ["cancel", "1"]
      ]) {
        const said = yield* type(args)
        assert.strictEqual(said.exitCode, 4, args.join(" "))
        assert.include(said.err, `ORCH_STORE_MISSING: There is no store at ${file}`)
        assert.include(said.err, "muster run")
      }
      assert.deepStrictEqual(yield* (yield* FileSystem.FileSystem).readDirectory(folder), [])
    })
  )

  it.effect("status counts by state and workflow, and names the host that beats", () =>
    Effect.gen(function* () {
      const { file, type } = yield* scene
      const status = document("muster status", (yield* type(["status", "--json"])).out[0])
      assert.deepInclude(status["jobs"], {
        PENDING: 2,
        PROCESSING: 1,
        RETRY_SCHEDULED: 1,
        COMPLETED: 1,
        DEAD_LETTERED: 1
      })
      assert.deepInclude(status["store"], { path: file })
      assert.deepInclude(status, { dead_letters: 1, oldest_ready_at: "1970-01-01T00:00:00.000Z" })
      assert.lengthOf(status["hosts"] as ReadonlyArray<unknown>, 1) // the schema says that it is a list
      const { out } = yield* type(["status"])
      assert.match(out.join("\n"), /hosts +1 running: host 1/)
      assert.include(out.join("\n"), "count           1        1         1          1     1      5")
      yield* TestClock.adjust("1 minute")
      assert.match((yield* type(["status"])).out.join("\n"), /hosts +none is running; 1 silent/)
    })
  )

  it.effect("jobs pages by number, and filters by state and workflow", () =>
    Effect.gen(function* () {
      const { type } = yield* scene
      const ids = (lines: ReadonlyArray<string>) =>
        lines.map((line) => String(document("muster jobs", line)["job_id"]).split("-")[1])
      assert.deepStrictEqual(ids((yield* type(["jobs", "--json"])).out), ["1", "2", "3", "4", "5", "6"])
      assert.deepStrictEqual(ids((yield* type(["jobs", "--json", "--after", "2", "--limit", "2"])).out), [
        "3",
        "4"
      ])
      assert.deepStrictEqual(ids((yield* type(["jobs", "--json", "--state", "pending"])).out), ["5", "6"])
      assert.deepStrictEqual(ids((yield* type(["jobs", "--json", "-w", "later"])).out), ["6"])
      const page = yield* type(["jobs", "--limit", "2"])
      assert.lengthOf(page.out, 3)
      assert.include(page.err, "--after 2")
      const wrong = yield* type(["jobs", "--state", "done"])
      assert.strictEqual(wrong.exitCode, 2)
      for (const state of JobMachine.states) assert.include(wrong.err, state)
    })
  )

  it.effect("show takes a number or an id, and tells the whole story", () =>
    Effect.gen(function* () {
      const { type } = yield* scene
      const byNumber = document("muster show", (yield* type(["show", "2", "--json"])).out[0])
      const byId = document(
        "muster show",
        (yield* type(["show", String(byNumber["job_id"]), "--json"])).out[0]
      )
      assert.deepStrictEqual(byId, byNumber)
      assert.deepInclude(byNumber, {
        current_state: "DEAD_LETTERED",
        last_error_code: "DQ_BAD",
        payload: { n: 2 },
        result: null
      })
      assert.nestedPropertyVal(byNumber, "retries[0].error_code", "EXT_AWAY")
      assert.nestedPropertyVal(byNumber, "retries[0].failure.message", "not \u001B[31mnow")
      assert.nestedPropertyVal(byNumber, "dead_letter.failure_error_code", "DQ_BAD")
      const text = (yield* type(["show", "2"])).out.join("\n")
      assert.include(text, "muster dlq show 2")
      // an agent's escape sequence is shown, not obeyed
      assert.include(text, String.raw`not \x1b[31mnow`)
      assert.notInclude(text, "\u001B")
    })
  )

  it.effect.each([
    ["1", "it is done, and its result is kept"],
    ["3", "Life 1 of its agent is in phase work on host 1."],
    ["4", "It is tried again (life 2 of its agent) in"],
    ["5", "It starts as soon as a slot is free."],
    ["6", "It starts in 364d 23h, when a slot is free."]
  ] as const)("show %s says what happens next: %s", ([job, next]) =>
    Effect.gen(function* () {
      const { type } = yield* scene
      const shown = document("muster show", (yield* type(["show", job, "--json"])).out[0])
      assert.include(String(shown["next"]), next)
      assert.include((yield* type(["show", job])).out.join(" ").replaceAll(/\s+/g, " "), next)
    })
  )

  it.effect("events tells each job's chain, unbroken by the table", () =>
    Effect.gen(function* () {
      const { type } = yield* scene
      const all = (yield* type(["events", "--json"])).out.map((line) => document(moves, line))
      assert.deepStrictEqual(
        all.map(({ sequence }) => sequence),
        all.map((_, index) => index + 1)
      )
      const chain = (yield* type(["events", "--json", "--job", "2"])).out
        .map((line) => document(moves, line))
        .filter(({ subject_kind }) => subject_kind === "job")
      let state: unknown = null
      for (const event of chain) {
        assert.strictEqual(event["from_state"], state)
        const edge = JobMachine.edges.find((one) => one.from === state && one.event === event["event"])
        if (state !== null) assert.strictEqual(event["to_state"], edge?.to)
        state = event["to_state"]
      }
      assert.strictEqual(state, "DEAD_LETTERED")
      assert.isTrue(Machine.isFinal(JobMachine, "DEAD_LETTERED"))
      const newest = yield* type(["events", "--limit", "3"])
      assert.lengthOf(newest.out, 4)
      assert.include(newest.out[3], String(all.length))
      const unknown = yield* type(["events", "--job", "99"])
      assert.strictEqual(unknown.exitCode, 4)
    })
  )

  it.effect("dlq lists the letters and tells one's story with what to do", () =>
    Effect.gen(function* () {
      const { type } = yield* scene
      const listed = (yield* type(["dlq", "list", "--json"])).out
      assert.lengthOf(listed, 1)
      const letter = document("muster dlq list", listed[0])
      assert.deepInclude(letter, {
        failure_error_code: "DQ_BAD",
        final_state: "FAILED",
        replay_eligible: true
      })
      assert.lengthOf(letter["retry_history"] as ReadonlyArray<unknown>, 1) // the schema says that it is a list
      const shown = document("muster dlq show", (yield* type(["dlq", "show", "2", "--json"])).out[0])
      assert.deepInclude(shown, { ...letter, payload: { n: 2 }, workflow_type: "count" })
      assert.include((yield* type(["dlq", "show", "2"])).out.join("\n"), "mend it, then replay")
      const none = yield* type(["dlq", "show", "1"])
      assert.strictEqual(none.exitCode, 4)
    })
  )

  it.effect("fit 80 columns, whatever names and messages are like", () =>
    Effect.gen(function* () {
      const { type } = yield* storeFolder
      const long = "a-workflow-with-a-name-that-nobody-would-type-twice-in-their-life"
      yield* type([
        "submit",
        "-w",
        long,
        "-k",
        "键".repeat(20),
        JSON.stringify({ text: "日本語".repeat(300) })
      ])
      for (const args of [["status"], ["jobs"], ["show", "1"], ["events"]]) {
        for (const line of (yield* type(args)).out) {
          assert.isAtMost(line.length, 80, `${args.join(" ")}: ${line}`)
        }
      }
    })
  )

  it.effect("take an empty MUSTER_STORE for none, since SQLite would throw an unnamed database away", () =>
    Effect.gen(function* () {
      const said = yield* type(["status"]).pipe(
        Effect.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({ MUSTER_STORE: "" })))
      )
      assert.include(said.err, "There is no store at .muster/fleet.db")
    })
  )

  it.effect("say that a file is no store", () =>
    Effect.gen(function* () {
      const { file, folder, type } = yield* storeFolder
      const fs = yield* FileSystem.FileSystem
      yield* fs.makeDirectory(`${folder}/made`)
      yield* fs.writeFileString(
        file,
        "This is no database, and it is long enough to be looked at. ".repeat(20)
      )
      const said = yield* type(["status", "--json"])
      assert.strictEqual(said.exitCode, 74)
      const failure = document("Failures", said.err)
      assert.strictEqual(failure["code"], "ORCH_STORE_BROKEN")
      assert.include(String(failure["message"]), file)
    })
  )
})
