// An agent of the demo: says what a source file is for and what it exports. A payload may ask it to fall silent once, as an agent does that
// waits for an answer that never comes: the fleet ends it and lets the next one try.
import { readFile } from "node:fs/promises"
import { text } from "node:stream/consumers"
import { setTimeout as pause } from "node:timers/promises"

const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`)

const { path, silent_once: silentOnce = false } = JSON.parse(await text(process.stdin))
say({ type: "progress", message: `reading ${path}`, fraction: 0.2 })
await pause(150)

// As above: which attempt it is, an agent reads from its environment.
if (silentOnce && process.env.MUSTER_ATTEMPT === "1") {
  say({ type: "progress", message: `waiting for an answer about ${path} …` })
  await pause(3_600_000)
}
const content = await readFile(path, "utf8")
say({ type: "progress", message: `summarising ${path}`, fraction: 0.7 })
await pause(150)
say({
  type: "result",
  result: {
    path,
    is_for: /\/\*\*\s*\n \* ([\s\S]*?)\s*\*\//.exec(content)?.[1]?.replaceAll(/\s*\n \* ?/g, " ") ?? null,
    exports: Array.from(
      content.matchAll(/^export (?:const|class|interface|type) (\w+)/gm),
      ([, name]) => name
    )
  }
})
