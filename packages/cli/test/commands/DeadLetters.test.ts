// The dead-letter queue as typed: replay, allow, forbid and discard.
import { assert, layer } from "@effect/vitest"
import { SqliteStore } from "@muster/store-sqlite"
import { Effect } from "effect"
import { document, storeFolder, world } from "../CommandLine.ts"
import { enlist } from "../HandMadeHost.ts"

const moves = "muster events, and muster run: a move"

/** Jobs 1 and 2 are dead for bad data, 3 for a legal reason, 4 for an outage (of another workflow), 5 is cancelled, 6 done, 7 waits. */
const scene = Effect.gen(function* () {
  const { file, type } = yield* storeFolder
  for (const n of [1, 2, 3]) yield* type(["submit", "-w", "count", `{"n":${n}}`])
  yield* type(["submit", "-w", "other", "--max-retries", "0", '{"n":4}'])
  for (const n of [5, 6, 7]) yield* type(["submit", "-w", "count", `{"n":${n}}`])
  yield* type(["cancel", "5"])
  yield* Effect.gen(function* () {
    const host = yield* enlist
    for (const seq of [1, 2, 3, 4, 6]) yield* host.take(seq)
    yield* host.fail(1, "DQ_BAD", "never")
    yield* host.fail(2, "DQ_BAD", "never")
    yield* host.fail(3, "LEGAL_NO", "forbidden")
    yield* host.fail(4, "EXT_AWAY", "not now")
    yield* host.land(6, 1)
    yield* host.stop
  }).pipe(Effect.provide(SqliteStore.layer({ filename: file })))
  const id = document("muster show", (yield* type(["show", "1", "--json"])).out[0])["job_id"]
  const store = String(id).split("-")[0]
  const replay = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
    const said = yield* type(["dlq", "replay", ...args, "--json"])
    return { ...said, documents: said.out.map((line) => document("muster dlq replay", line)) }
  })
  const show = (seq: number) =>
    Effect.map(type(["show", String(seq), "--json"]), ({ out }) => document("muster show", out[0]))
  return { file, type, replay, show, idOf: (seq: number) => `${store}-${seq}` }
})

const outcomes = (documents: ReadonlyArray<Record<string, unknown>>) =>
  documents.map(({ job_id, outcome }) => `${String(job_id).split("-")[1]} ${String(outcome)}`)

layer(world)("muster dlq", (it) => {
  it.effect("replays a letter once; a second replay answers with the first one's job (R24, R31)", () =>
    Effect.gen(function* () {
      const { idOf, replay, show, type } = yield* scene
      const first = yield* replay("1", "--reason", "the data is mended")
      assert.strictEqual(first.exitCode, 0)
      assert.deepInclude(first.documents[0], {
        job_id: idOf(1),
        outcome: "replayed",
        replayed_by: idOf(8)
      })
      const second = yield* replay("1")
      assert.strictEqual(second.exitCode, 0)
      assert.deepInclude(second.documents[0], { outcome: "already_replayed", replayed_by: idOf(8) })
      const job = yield* show(8)
      assert.deepInclude(job, {
        current_state: "PENDING",
        replay_of: idOf(1),
        correlation_id: idOf(1),
        retry_count: 0
      })
      const chain = [
        [idOf(1), "DEAD_LETTERED"],
        [idOf(8), "PENDING"]
      ]
      for (const title of [1, 8]) {
        const links = (yield* show(title))["chain"] as ReadonlyArray<Record<string, unknown>> // the schema says so
        assert.deepStrictEqual(
          links.map(({ current_state, job_id }) => [job_id, current_state]),
          chain
        )
      }
      assert.match((yield* type(["dlq", "show", "1"])).out.join("\n"), / > +\S+-1 +DEAD_LETTERED/)
      // the key answers with the newest of the chain
      const again = yield* type(["submit", "-w", "count", '{"n":1}', "--json"])
      assert.deepInclude(document("muster submit", again.out[0]), { job_id: idOf(8), duplicate: true })
      const created = document(moves, (yield* type(["events", "--job", "8", "--json"])).out[0])
      assert.deepInclude(created, {
        transition_reason: "replayed",
        detail: { replay_of: idOf(1), reason: "the data is mended" }
      })
    })
  )

  it.effect("fifty commands that replay one letter at once make one job", () =>
    Effect.gen(function* () {
      const { idOf, type } = yield* scene
      yield* Effect.all(
        Array.from({ length: 50 }, () => type(["dlq", "replay", "1", "--json"])),
        { concurrency: "unbounded" }
      )
      assert.lengthOf((yield* type(["jobs", "--json"])).out, 8)
      const letter = document("muster dlq show", (yield* type(["dlq", "show", "1", "--json"])).out[0])
      assert.strictEqual(letter["replayed_by"], idOf(8))
    })
  )

  it.effect(
    "takes cancelled jobs too, and refuses those that are done, that wait, or that nobody knows",
    () =>
      Effect.gen(function* () {
        const { replay, type } = yield* scene
        const many = yield* replay("5", "6", "7", "99")
        assert.strictEqual(many.exitCode, 6)
        assert.deepStrictEqual(outcomes(many.documents.slice(0, 3)), ["5 replayed", "6 refused", "7 refused"])
        assert.deepInclude(many.documents[1], { code: "ORCH_REPLAY_CONTEXT_MISSING" })
        assert.deepInclude(many.documents[3], { job_id: "99", code: "ORCH_JOB_NOT_FOUND" })
        // one alone is told as the command's own failure
        const one = yield* type(["dlq", "replay", "6", "--json"])
        assert.strictEqual(one.exitCode, 6)
        assert.deepStrictEqual(one.out, [])
        assert.deepInclude(document("Failures", one.err), { code: "ORCH_REPLAY_CONTEXT_MISSING" })
      })
  )

  it.effect("replays all that may be replayed, chosen by code and workflow; a dry run does nothing", () =>
    Effect.gen(function* () {
      const { replay, type } = yield* scene
      const dry = yield* replay("--all", "--dry-run")
      assert.deepStrictEqual(outcomes(dry.documents), ["1 would_replay", "2 would_replay", "4 would_replay"])
      assert.lengthOf((yield* type(["jobs", "--json"])).out, 7)
      assert.deepStrictEqual(outcomes((yield* replay("--all", "--code", "EXT_*")).documents), ["4 replayed"])
      const chosen = yield* replay("--all", "--code", "DQ_BAD", "--workflow", "count")
      assert.deepStrictEqual(outcomes(chosen.documents), ["1 replayed", "2 replayed"])
      const none = yield* type(["dlq", "replay", "--all"])
      assert.deepStrictEqual([none.exitCode, none.out], [0, []])
      assert.include(none.err, "No dead letter that may be replayed")
      assert.lengthOf((yield* type(["jobs", "--json"])).out, 10)
    })
  )

  it.effect(
    "a code's row may forbid the replay until somebody allows it, with a reason that is kept (R31)",
    () =>
      Effect.gen(function* () {
        const { replay, type } = yield* scene
        const refused = yield* type(["dlq", "replay", "3", "--json"])
        assert.strictEqual(refused.exitCode, 6)
        assert.include(refused.err, "dlq allow")
        assert.strictEqual((yield* type(["dlq", "allow", "3"])).exitCode, 2)
        const allow = ["dlq", "allow", "3", "--reason", "cleared with the lawyers", "--json"]
        const verdict = "muster dlq allow, forbid and discard"
        assert.deepInclude(document(verdict, (yield* type(allow)).out[0]), {
          outcome: "allowed",
          changed: true
        })
        assert.deepInclude(document(verdict, (yield* type(allow)).out[0]), { changed: false })
        const told = (yield* type(["events", "--job", "3", "--json"])).out.map((line) =>
          document(moves, line)
        )
        assert.deepInclude(told.at(-1), {
          event: "replay_allowed",
          from_state: null,
          to_state: null,
          detail: { reason: "cleared with the lawyers" }
        })
        assert.match((yield* type(["dlq", "show", "3"])).out.join("\n"), /replay +eligible/)
        yield* type(["dlq", "forbid", "3", "--reason", "no"])
        assert.strictEqual((yield* type(["dlq", "replay", "3"])).exitCode, 6)
        yield* type(["dlq", "allow", "3", "--reason", "yes"])
        assert.deepStrictEqual(outcomes((yield* replay("3")).documents), ["3 replayed"])
        const late = yield* type(["dlq", "forbid", "3", "--reason", "no", "--json"])
        assert.strictEqual(late.exitCode, 6)
        assert.include(late.err, "was replayed already")
      })
  )

  it.effect("discards a letter for good: it leaves the list and is not replayed", () =>
    Effect.gen(function* () {
      const { replay, type } = yield* scene
      const listed = (...args: ReadonlyArray<string>) =>
        Effect.map(type(["dlq", "list", "--json", ...args]), ({ out }) =>
          out.map((line) => document("muster dlq list", line))
        )
      assert.lengthOf(yield* listed(), 4)
      assert.strictEqual((yield* type(["dlq", "discard", "1", "--reason", "hopeless"])).exitCode, 0)
      assert.lengthOf(yield* listed(), 3)
      const all = yield* listed("--discarded")
      assert.lengthOf(all, 4)
      assert.isString(all[0]?.["discarded_at"])
      assert.match((yield* type(["dlq", "list", "--discarded"])).out[1] ?? "", /discarded/)
      assert.strictEqual((yield* type(["dlq", "replay", "1"])).exitCode, 6)
      assert.deepStrictEqual(outcomes((yield* replay("--all", "--dry-run")).documents), [
        "2 would_replay",
        "4 would_replay"
      ])
      assert.deepInclude(document("muster status", (yield* type(["status", "--json"])).out[0]), {
        dead_letters: 3
      })
      assert.strictEqual((yield* type(["dlq", "discard", "7"])).exitCode, 4)
    })
  )

  it.effect("a replay that is wanted fresh says so in the audit of the new job (R31)", () =>
    Effect.gen(function* () {
      const { replay, type } = yield* scene
      yield* replay("1", "--fresh")
      const told = (yield* type(["events", "--job", "8", "--json"])).out.map((line) => document(moves, line))
      assert.deepStrictEqual(
        told.map(({ event }) => event),
        ["submit", "replay_fresh"]
      )
    })
  )

  it.effect("says how it is meant", () =>
    Effect.gen(function* () {
      const { type } = yield* scene
      for (const args of [[], ["1", "--all"], ["1", "--code", "DQ_BAD"], ["--code", "DQ_BAD"]])
        assert.strictEqual((yield* type(["dlq", "replay", ...args])).exitCode, 2, args.join(" "))
    })
  )
})
