// An agent of the demo: checks a file. What it needs may be away for a while (EX_UNAVAILABLE in spirit: a code of its own, EXT_…, says so and
// is retried), and a file that is no text is bad for good (DQ_…, never retried).
import { readFile } from "node:fs/promises"
import { text } from "node:stream/consumers"
import { setTimeout as pause } from "node:timers/promises"

const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`)

const { path, away_for: awayFor = 0 } = JSON.parse(await text(process.stdin))
say({ type: "progress", message: `asking for the rules of ${path}` })
await pause(150)

// The fleet tells an agent by its environment which attempt it is.
if (Number(process.env.MUSTER_ATTEMPT) <= awayFor) {
  say({ type: "error", code: "EXT_RULES_AWAY", message: "the service with the rules doesn't answer" })
  process.exit()
}
const bytes = await readFile(path)
if (bytes.includes(0)) {
  say({ type: "error", code: "DQ_NOT_TEXT", message: `${path} is not a text: it holds NUL bytes` })
  process.exit()
}
const lines = bytes.toString("utf8").split("\n")
say({ type: "progress", message: `checking ${lines.length} lines of ${path}`, fraction: 0.5 })
await pause(200)
say({
  type: "result",
  result: {
    path,
    ends_with_line_feed: lines.at(-1) === "",
    trailing_space: lines.filter((line) => /\s$/.test(line)).length,
    over_120_columns: lines.filter((line) => line.length > 120).length
  }
})
