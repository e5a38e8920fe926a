import { assert, describe, it } from "@effect/vitest"
import { exit, JobMachine, Machine } from "@muster/core"
import { Effect, Result } from "effect"
import { document, type as typed } from "../CommandLine.ts"
import { documentsOf, runWorld, scene, summaryOf } from "./RunScene.ts"

const count = 'echo "{n}" >> "$EFFECTS"; echo "counted {n}"'

/** The script with the file that it writes to. */
const into = (effects: string, script: string): string => script.replaceAll("$EFFECTS", effects)

describe("muster run", () => {
  it.live("works every line of a file and ends with 0, the results and where to look next", () =>
    Effect.gen(function* () {
      const { effects, happened, jobs, run } = yield* scene
      const said = yield* run([jobs({ n: 1 }, { n: 2 }, { n: 3 })], into(effects, count))
      assert.strictEqual(said.exitCode, 0, said.err)
      assert.deepStrictEqual(happened(), ["1", "2", "3"])
      const out = said.out.join("\n")
      assert.match(out, /-1 +PROCESSING +attempt 1$/m)
      assert.match(out, /-1 +COMPLETED +counted 1$/m)
      assert.match(out, /^3 jobs in .*: 3 landed$/m)
      assert.match(out, /^ {2}.* show \w+-3 --store /m)
    }).pipe(Effect.provide(runWorld))
  )

  it.live("answers the same file a second time with the stored results; nothing runs again", () =>
    Effect.gen(function* () {
      const { effects, happened, jobs, run } = yield* scene
      const file = jobs({ n: 1 }, { n: 2 }, { n: 1 })
      yield* run([file], into(effects, count))
      const again = yield* run([file], into(effects, count))
      assert.strictEqual(again.exitCode, 0)
      assert.deepStrictEqual(happened(), ["1", "2"])
      assert.match(again.out.join("\n"), /-2 +COMPLETED +already: counted 2$/m)
      assert.match(again.out.join("\n"), /3 lines of jobs that were there already, 2 of them over before/)
      const fresh = yield* run([file, "--fresh"], into(effects, count))
      assert.strictEqual(fresh.exitCode, 0)
      assert.deepStrictEqual(happened(), ["1", "1", "2", "2"])
    }).pipe(Effect.provide(runWorld))
  )

  it.live("tells a line whose key is taken as a conflict, works the rest, and ends with 3", () =>
    Effect.gen(function* () {
      const { effects, happened, jobs, run } = yield* scene
      const keyed = (n: number) => ({ payload: { n }, idempotency_key: "k" })
      const said = yield* run([jobs(keyed(1), keyed(2), { n: 3 })], into(effects, count))
      assert.strictEqual(said.exitCode, 3)
      assert.deepStrictEqual(happened(), ["1", "3"])
      assert.match(
        said.out.join("\n"),
        /^line 2: ORCH_DUPLICATE_IDEMPOTENCY_KEY: the key "k" belongs to \w+-1/m
      )
    }).pipe(Effect.provide(runWorld))
  )

  it.live("retries what may pass, quarantines what never will, and ends with 3", () =>
    Effect.gen(function* () {
      const { jobs, run, type } = yield* scene
      const script = 'case "{kind}" in flaky) [ "$MUSTER_ATTEMPT" = 2 ] || exit 75;; bad) exit 65;; esac'
      const said = yield* run([jobs({ kind: "flaky" }, { kind: "bad" }, { kind: "good" }), "--json"], script)
      assert.strictEqual(said.exitCode, 3)
      assert.deepInclude(summaryOf(said.out), { completed: 2, dead_lettered: 1, retries: 1, exit_code: 3 })
      const letters = yield* type(["dlq", "list", "--json"])
      assert.strictEqual(documentsOf(letters.out)[0]?.["failure_error_code"], "DQ_COMMAND_DATA")
    }).pipe(Effect.provide(runWorld))
  )

  it.live(
    "submits nothing of a file with a bad line, and says where it is; or leaves it out when told to",
    () =>
      Effect.gen(function* () {
        const { effects, file, happened, jobs, run, type } = yield* scene
        const path = jobs({ n: 1 }, "{n:2}", { n: 3 })
        const refused = yield* run([path], into(effects, count))
        assert.strictEqual(refused.exitCode, 65)
        assert.include(refused.err, `${path}:2: it is not JSON`)
        assert.deepStrictEqual(happened(), [])
        assert.strictEqual((yield* type(["status"])).exitCode, 4, `${file} was made`)
        const asJson = yield* run([path, "--json"], into(effects, count))
        assert.strictEqual(document("Failures", asJson.err)["exit_code"], 65)
        const skipped = yield* run([path, "--skip-invalid"], into(effects, count))
        assert.strictEqual(skipped.exitCode, 0)
        assert.include(skipped.err, `${path}:2: it is not JSON`)
        assert.deepStrictEqual(happened(), ["1", "3"])
      }).pipe(Effect.provide(runWorld))
  )

  it.live("stores lines of another workflow, says so, and doesn't wait for them (R34)", () =>
    Effect.gen(function* () {
      const { effects, happened, jobs, run, type } = yield* scene
      const other = { payload: { n: 2 }, workflow_type: "elsewhere" }
      const said = yield* run([jobs({ n: 1 }, other)], into(effects, count))
      assert.strictEqual(said.exitCode, 3)
      assert.deepStrictEqual(happened(), ["1"])
      assert.match(said.err, /1 line names another workflow \(elsewhere\)/)
      const listed = documentsOf((yield* type(["jobs", "--json"])).out)
      assert.deepInclude(listed[1], { workflow_type: "elsewhere", current_state: "PENDING" })
    }).pipe(Effect.provide(runWorld))
  )

  it.live("without JOBS works the jobs of its workflow that wait, and no others (R34)", () =>
    Effect.gen(function* () {
      const { effects, happened, run, type } = yield* scene
      for (const n of [1, 2]) yield* type(["submit", "-w", "count", `{"n":${n}}`])
      yield* type(["submit", "-w", "other", `{"n":3}`])
      const said = yield* run(["--workflow", "count", "--json"], into(effects, count))
      assert.strictEqual(said.exitCode, 0, said.err)
      assert.deepStrictEqual(happened(), ["1", "2"])
      assert.deepInclude(summaryOf(said.out), { jobs: 2, completed: 2, lines: 0 })
      const nothing = yield* run(["--workflow", "count"], into(effects, count))
      assert.deepStrictEqual(nothing.out, ["Nothing to do: no job of count waits."])
      assert.strictEqual(nothing.exitCode, 0)
    }).pipe(Effect.provide(runWorld))
  )

  it.live("reads standard input for -, and gives each agent its payload on its own", () =>
    Effect.gen(function* () {
      const { run } = yield* scene
      const said = yield* run(["-", "--json"], "cat", '{"n":1}\n{"payload":{"n":2},"priority":5}\n')
      const jobs = documentsOf(said.out).filter(({ type }) => type === "job")
      const results = new Map(jobs.map((job) => [job["line"], job["result"]]))
      assert.deepStrictEqual(results.get(1), { stdout: '{"n":1}\n' })
      assert.deepStrictEqual(results.get(2), { stdout: '{"n":2}\n' })
    }).pipe(Effect.provide(runWorld))
  )

  it.live(
    "with --json prints nothing but documents: unbroken chains of events, each job's end, one summary",
    () =>
      Effect.gen(function* () {
        const { jobs, run } = yield* scene
        const script =
          '[ "$MUSTER_ATTEMPT" = 2 ] || exit 75; echo "{\\"type\\":\\"result\\",\\"result\\":{n}}"'
        const { err, out } = yield* run([jobs({ n: 1 }, { n: 2 }), "--json", "--require-result"], script)
        assert.strictEqual(err, "")
        const lines = documentsOf(out)
        document("muster run: the last line", out.at(-1))
        for (const [index, { type }] of lines.entries()) {
          if (type === "job") document("muster run: a job that is over", out[index])
          else if (type === undefined) document("muster events, and muster run: a move", out[index])
          else assert.strictEqual(index, lines.length - 1)
        }
        for (const jobId of new Set(lines.flatMap((line) => line["job_id"] ?? []))) {
          const moves = lines.filter((line) => line["job_id"] === jobId && line["subject_kind"] === "job")
          assert.strictEqual(moves[0]?.["to_state"], JobMachine.initial)
          for (const [index, move] of moves.entries()) {
            assert.isNotEmpty(move["transition_reason"])
            if (index === 0) continue
            assert.strictEqual(move["from_state"], moves[index - 1]?.["to_state"])
            const state = JobMachine.states.find((name) => name === move["from_state"]) ?? "PENDING"
            const event = JobMachine.edges.find((edge) => edge.event === move["event"])?.event ?? "validate"
            assert.strictEqual(Result.getOrThrow(Machine.step(JobMachine, state, event)), move["to_state"])
          }
          assert.strictEqual(moves.at(-1)?.["to_state"], "COMPLETED")
          const agent = lines.filter((line) => line["job_id"] === jobId && line["subject_kind"] === "agent")
          assert.strictEqual(agent.at(-1)?.["to_state"], "tombstoned")
        }
      }).pipe(Effect.provide(runWorld))
  )

  it.live("gives up an attempt that falls silent, and lets the next one try", () =>
    Effect.gen(function* () {
      const { jobs, run } = yield* scene
      const script = '[ "$MUSTER_ATTEMPT" = 1 ] && sleep 60; echo there'
      const said = yield* run([jobs({ n: 1 }), "--silence", "300ms"], script)
      assert.strictEqual(said.exitCode, 0)
      assert.match(said.out.join("\n"), /RETRY_SCHEDULED +again in .*ORCH_RETRYABLE_STREAM_SILENCE/)
    }).pipe(Effect.provide(runWorld))
  )

  it.live("refuses a command line that can't be meant, with 2 and what to type instead", () =>
    Effect.gen(function* () {
      const { file, jobs } = yield* scene
      const path = jobs({ n: 1 })
      for (const [args, message] of [
        [["run", path], /no command to work with/],
        [["run", path, "--"], /no command to work with/],
        [["run", path, "x", "--", "true"], /Only one file of jobs/],
        [["run", `${path}.gone`, "--", "true"], /there is no such file/],
        [["run", path, "--slots", "0", "--", "true"], /--slots must be from 1/],
        [["run", path, "--max-retries", "-1", "--", "true"], /--max-retries must be from 0/],
        [["run", path, "--silence", "5", "--", "true"], /--silence 5 is no length of time/],
        [["run", path, "--workflow", " ", "--", "true"], /can't be the name of a workflow/]
      ] as const) {
        const said = yield* typed(["--store", file, ...args])
        assert.strictEqual(said.exitCode, 2, args.join(" "))
        assert.match(said.err, message)
      }
    }).pipe(Effect.provide(runWorld))
  )

  it.live("names the file that is no store", () =>
    Effect.gen(function* () {
      const { jobs } = yield* scene
      const path = jobs({ n: 1 })
      const { err, exitCode } = yield* typed(["--store", path, "run", path, "--", "true"])
      assert.include(err, `${path}: file is not a database`)
      assert.strictEqual(exitCode, exit.io)
    }).pipe(Effect.provide(runWorld))
  )
})
