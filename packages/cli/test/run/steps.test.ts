// Agents that write to the outside and are killed in the middle: real processes, a real store (R28).
import { writeFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { inFolder } from "./MusterProcess.ts"

const patience = 60_000

/** Charges a card once, and is killed before it can say so, the first time. */
const agent = `
const readline = require("node:readline"), fs = require("node:fs")
const lines = readline.createInterface({ input: process.stdin })[Symbol.asyncIterator]()
const say = (message) => console.log(JSON.stringify(message))
const once = async (name, step) => {
  say({ type: "marker", name, state: "started" })
  const answer = JSON.parse((await lines.next()).value)
  if (!answer.ok) process.exit(70)
  if (answer.state === "finished") return answer.result
  const result = step()
  say({ type: "marker", name, state: "finished", result })
  await lines.next()
  return result
}
const main = async () => {
  await lines.next()
  const charged = await once("charge", () => {
    fs.appendFileSync("charges", process.env.MUSTER_IDEMPOTENCY_KEY + "\\n")
    if (fs.readFileSync("charges", "utf8").split("\\n").length === 2) process.kill(process.pid, "SIGKILL")
    return { id: 7 }
  })
  say({ type: "result", result: { charged, known: process.env.MUSTER_MARKERS ?? null } })
  process.exit(0)
}
main()
`

describe("a step of a program", () => {
  it(
    "that is killed between start and end parks its job; the run ends and says what to type; settled, it goes on without a second write",
    () =>
      inFolder(async ({ lines, path, start, write }) => {
        write("jobs.jsonl", [{ n: 1 }])
        writeFileSync(path("agent.cjs"), agent)
        const command = [
          "run",
          "jobs.jsonl",
          "--stdin",
          "lines",
          "--workflow",
          "pay",
          "--",
          "node",
          "agent.cjs"
        ]
        const first = await start(...command).ended
        assert.strictEqual(first.code, 3, first.out + first.err)
        assert.match(first.out, /RETRY_SCHEDULED +was "charge" done\? muster show \w+-1/)
        assert.match(first.out, / settle \w+-1 --done$/m)
        const parked = JSON.parse((await start("show", "1", "--json").ended).out)
        assert.deepInclude(parked.hold, { markers: ["charge"] })
        // as long as nobody answers, nothing goes on
        assert.strictEqual((await start(...command).ended).code, 3)
        assert.lengthOf(lines("charges"), 1)
        const settled = await start("settle", "1", "--done", "--result", '{"id":7}').ended
        assert.strictEqual(settled.code, 0, settled.err)
        const last = await start(...command).ended
        assert.strictEqual(last.code, 0, last.out + last.err)
        const { result } = JSON.parse((await start("show", "1", "--json").ended).out)
        assert.deepStrictEqual(result, { charged: { id: 7 }, known: '{"charge":{"id":7}}' })
        assert.lengthOf(lines("charges"), 1)
        assert.strictEqual((await start("audit").ended).code, 0)
      }),
    patience
  )
})
