import { assert, describe, it } from "vitest"
import { inFolder, isAlive, summaryIn } from "./MusterProcess.ts"

const numbers = (count: number) => Array.from({ length: count }, (_, index) => ({ n: index + 1 }))
const patience = 60_000

describe("a run as a process", () => {
  it(
    "killed with -9 in the middle and started again goes on where it was: nothing COMPLETED runs again, no agent is left",
    () =>
      inFolder(async ({ lines, start, write }) => {
        write("jobs.jsonl", numbers(24))
        const agent = 'echo "{n} $$" >> started; sleep 0.15; echo "{n}" >> ended'
        const command = ["run", "jobs.jsonl", "--slots", "3", "--", "sh", "-c", agent]
        const first = start(...command)
        await first.said(/(COMPLETED[^]*){6}/)
        first.child.kill("SIGKILL")
        assert.strictEqual((await first.ended).signal, "SIGKILL")
        const completed = Array.from(first.out().matchAll(/-(\d+) +COMPLETED/g), ([, n]) => n)
        const startedBefore = lines("started")

        const second = await start(...command).ended
        assert.strictEqual(second.code, 0, second.out + second.err)
        const runs = lines("started").map((line) => line.split(" ")[0])
        for (const n of completed) assert.strictEqual(runs.filter((run) => run === n).length, 1, `job ${n}`)
        assert.deepStrictEqual(new Set(runs), new Set(numbers(24).map(({ n }) => String(n))))
        const pids = [...startedBefore, ...lines("started")].map((line) => Number(line.split(" ")[1]))
        assert.deepStrictEqual(pids.filter(isAlive), [])
      }),
    patience
  )

  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    it(
      `${signal} ends it with 130 after a clean hand-back, unburnt, and it says what is left and how to go on`,
      () =>
        inFolder(async ({ lines, shell, start, write }) => {
          write("jobs.jsonl", numbers(6))
          const agent = "echo $$ >> pids; [ {n} = 1 ] && exit 0; sleep 30"
          const running = start("run", "jobs.jsonl", "--slots", "2", "--", "sh", "-c", agent)
          await running.said(/-3 +PROCESSING/)
          running.child.kill(signal)
          const { code, err, out } = await running.ended
          assert.strictEqual(code, 130, out + err)
          assert.match(err, /^Stopping/m)
          assert.match(out, /^6 jobs in .*: 1 landed, 5 left$/m)
          assert.match(out, /^Go on with:\n {2}.*run jobs\.jsonl --slots 2 -- sh -c /m)
          assert.deepStrictEqual(lines("pids").map(Number).filter(isAlive), [])
          const command = String(/^Go on with:\n {2}(.* )run jobs/m.exec(out)?.[1])
          const handedBack = shell(`${command} show 2 --json`).out
          assert.deepInclude(JSON.parse(handedBack), { current_state: "RETRY_SCHEDULED", retry_count: 0 })
        }),
      patience
    )
  }

  it(
    "a drain lets running agents finish before it ends",
    () =>
      inFolder(async ({ lines, start, write }) => {
        write("jobs.jsonl", numbers(5))
        const agent = "sleep 0.6; echo {n} >> ended"
        const running = start(
          "run",
          "jobs.jsonl",
          "--slots",
          "2",
          "--drain",
          "20",
          "--json",
          "--",
          "sh",
          "-c",
          agent
        )
        await running.said('"job_id":"')
        await running.said(/"event":"accept"[^]*"event":"accept"/)
        running.child.kill("SIGINT")
        const { code, out } = await running.ended
        assert.strictEqual(code, 130)
        assert.deepStrictEqual(lines("ended"), ["1", "2"])
        assert.deepInclude(summaryIn(out), { completed: 2, unfinished: 3, interrupted: true, exit_code: 130 })
      }),
    patience
  )

  it(
    "leaves no process behind, whatever its agents fork, ignore or print",
    () =>
      inFolder(async ({ lines, pipe }) => {
        const agent = [
          "echo $$ >> pids",
          'case "{kind}" in',
          // children that outlive their parent's natural end
          "forking) (sleep 300 & echo $! >> pids); (trap '' TERM; sleep 300) & echo $! >> pids; echo forked;;",
          // 20 MB in lines, and 8 MB of bytes that are no text
          'chatty) head -c 20000000 /dev/zero | tr "\\0" x | fold -w 100; echo said it all;;',
          "binary) head -c 8000000 /dev/urandom; echo; echo binary;;",
          "missing) exec no-such-program;;",
          "killed) kill -9 $$;;",
          "esac"
        ].join("\n")
        const kinds = ["forking", "chatty", "binary", "missing", "killed"]
        const input = kinds.map((kind) => `${JSON.stringify({ kind })}\n`).join("")
        const running = pipe(input, "run", "-", "--max-retries", "0", "--json", "--", "sh", "-c", agent)
        const { code, out } = await running.ended
        assert.strictEqual(code, 3)
        assert.deepStrictEqual(lines("pids").map(Number).filter(isAlive), [])
        const jobs = out
          .split("\n")
          .filter((line) => line.startsWith('{"type":"job"'))
          // an object, as the line begins
          .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
        const codes = new Map(jobs.map((job) => [kinds[Number(job["line"]) - 1], job["last_error_code"]]))
        assert.deepStrictEqual(Object.fromEntries(codes), {
          forking: null,
          chatty: null,
          binary: null,
          missing: "CONTRACT_COMMAND_NOT_FOUND",
          killed: "ORCH_RETRYABLE_AGENT_CRASHED"
        })
        for (const job of jobs) assert.isAtMost(JSON.stringify(job["result"]).length, 600_000)
      }),
    patience
  )

  it(
    "kills an agent that ignores TERM when it is stopped",
    () =>
      inFolder(async ({ appeared, lines, start, write }) => {
        write("jobs.jsonl", numbers(1))
        const agent = "trap '' TERM INT; echo $$ >> pids; echo ready; while :; do sleep 0.2; done"
        const running = start("run", "jobs.jsonl", "--", "sh", "-c", agent)
        await running.said("PROCESSING")
        await appeared("pids")
        running.child.kill("SIGINT")
        assert.strictEqual((await running.ended).code, 130)
        assert.deepStrictEqual(lines("pids").map(Number).filter(isAlive), [])
      }),
    patience
  )

  it(
    "reads a pipe without being told, and works on when its own reader has gone",
    () =>
      inFolder(async ({ lines, pipe, shell }) => {
        const input = numbers(30)
          .map((line) => `${JSON.stringify(line)}\n`)
          .join("")
        const read = await pipe(input, "run", "--json", "--", "sh", "-c", "echo {n} >> ended").ended
        assert.strictEqual(read.code, 0)
        assert.strictEqual(lines("ended").length, 30)
        const muster = `'${process.execPath}' --conditions=@muster/source '${import.meta.dirname}/../../bin/muster.js'`
        const { out } = shell(
          `seq 30 | sed 's/.*/{"n":&,"m":1}/' | { ${muster} run - -- sh -c 'echo {n} >> again'; echo $? >> code; } 2>err | head -n 1`
        )
        assert.match(out, /PROCESSING/)
        assert.deepStrictEqual([lines("code"), lines("err")], [["0"], []])
        assert.strictEqual(lines("again").length, 30)
      }),
    patience
  )
})
