import { assert, describe, it } from "vitest"
import { inFolder, summaryIn } from "../run/MusterProcess.ts"

const patience = 60_000

/** The commands that a run or a demo tells people to type, with their remarks. */
const commandsIn = (out: string): ReadonlyArray<string> =>
  (out.split("Look closer:\n")[1] ?? "")
    .split("\n")
    .flatMap((line) => (line.startsWith("  ") ? [line.trim()] : []))

interface Event {
  readonly job_id: string
  readonly subject_kind: string
  readonly event: string
  readonly error_code: string | null
}

describe("muster demo", () => {
  it(
    "works in a folder where nothing is: it ends as planned, names three commands, and they work as typed",
    () =>
      inFolder(async ({ shell, start }) => {
        const { code, out } = await start("demo").ended
        assert.strictEqual(code, 0, out)
        assert.match(out, /^18 jobs in [\d.]+s: 17 landed, 1 dead$/m)
        const commands = commandsIn(out)
        assert.strictEqual(commands.length, 3)
        const [flaky = "", silent = "", bad = ""] = commands.map((command) => shell(command).out)
        assert.match(flaky, /COMPLETED[^]*EXT_RULES_AWAY/)
        assert.match(silent, /abandon +abandoned +stream_sil[^]*recover[^]*COMPLETED/)
        assert.match(bad, /DQ_NOT_TEXT[^]*is not a text: it holds NUL bytes/)
      }),
    patience
  )

  it(
    "has in it what a fleet is for, twice over: a code that is retried, a silence, a dead letter",
    () =>
      inFolder(async ({ start }) => {
        await start("demo", "--json").ended
        const { code, out } = await start("demo", "--json").ended
        assert.strictEqual(code, 0, out)
        const summary = summaryIn(out)
        assert.deepInclude(summary, { store: ".muster/demo.db", already: 0, completed: 17, dead_lettered: 1 })
        const events = out
          .trimEnd()
          .split("\n")
          // every line is an object; those without a type are events
          .map((line) => JSON.parse(line) as Event & { readonly type?: string })
          .filter(({ type }) => type === undefined)
        const codes = (event: string) =>
          events
            .filter((one) => one.subject_kind === "job" && one.event === event)
            .map((one) => one.error_code)
        // a busy machine may add a silence of its own
        assert.includeMembers(codes("schedule_retry"), ["EXT_RULES_AWAY", "ORCH_RETRYABLE_STREAM_SILENCE"])
        assert.strictEqual(codes("schedule_retry").filter((code) => code === "EXT_RULES_AWAY").length, 2)
        assert.deepStrictEqual(codes("dead_letter"), ["DQ_NOT_TEXT"])
      }),
    patience
  )
})
