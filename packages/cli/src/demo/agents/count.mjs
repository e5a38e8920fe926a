// An agent of the demo: counts what is in a file. Its payload is on standard input; each line that it prints is a sign of life.
import { readFile } from "node:fs/promises"
import { text } from "node:stream/consumers"
import { setTimeout as pause } from "node:timers/promises"

const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`)

const { path } = JSON.parse(await text(process.stdin))
const content = await readFile(path, "utf8")
const lines = content.split("\n")

const parts = 5
for (let part = 1; part <= parts; part++) {
  say({ type: "progress", message: `counting ${path}`, fraction: part / parts })
  // oxlint-disable-next-line no-await-in-loop -- one part after the other, slow enough to be watched
  await pause(90)
}
say({
  type: "result",
  result: {
    path,
    lines: lines.length,
    words: content.split(/\s+/).filter((word) => word !== "").length,
    longest_line: Math.max(...lines.map((line) => line.length))
  }
})
