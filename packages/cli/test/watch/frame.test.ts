import { assert, describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { type BoardState, initial, paneNames, takeLines, takeLook } from "../../src/watch/BoardState.ts"
import { lineWidth } from "../../src/watch/Cells.ts"
import type { FleetLook } from "../../src/watch/FleetLook.ts"
import { frame, frameText } from "../../src/watch/frame.ts"
import { settled } from "../../src/watch/Selection.ts"
import { boardOf, emptyFleet, fleetOf, now } from "./Fleets.ts"

const sizes = [
  [40, 24],
  [80, 24],
  [120, 40],
  [200, 50]
] as const

const Text = Schema.Union([
  Schema.String,
  Schema.Literals([
    "\u001B[2J\u001B[1;1H",
    "\u001B]8;;http://x\u0007",
    "a\tb\r\nc",
    "👩‍👩‍👧‍👦🇨🇭1️⃣",
    "漢字".repeat(80),
    "\u202Eשלום",
    "e\u0301\u0302\u0303",
    "y".repeat(9_000)
  ])
])
const Number = Schema.Union([Schema.Int, Schema.Finite])
const Few = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 30 }))

/** What a hostile or broken source could make of a fleet. */
const spoilt = (look: FleetLook, text: string, number: number): FleetLook => ({
  ...look,
  notice: text,
  store: text,
  agents: look.agents.map((agent, index) => ({
    ...agent,
    jobId: `${text}-${index}`,
    workflow: text,
    state: text,
    phase: text,
    lastLine: text,
    question: index % 2 === 0 ? text : null,
    attempt: number,
    startedAt: number,
    lastSeenAt: number,
    silenceAt: number,
    silenceMillis: number,
    fraction: number,
    spent: { inputTokens: number, outputTokens: number, cost: number }
  })),
  lanes: look.lanes.map((lane) => ({
    ...lane,
    workflow: text,
    priority: number,
    waiting: number,
    oldestSince: number
  })),
  retries: look.retries.map((retry) => ({
    ...retry,
    workflow: text,
    code: text,
    dueAt: number,
    maxRetries: number
  })),
  letters: look.letters.map((letter) => ({
    ...letter,
    workflow: text,
    code: text,
    summary: text,
    at: number
  })),
  parked: look.parked.map((one) => ({ ...one, workflow: text, markers: [text, text], since: number })),
  breakers: look.breakers.map((one) => ({
    ...one,
    workflow: text,
    failures: number,
    openedAt: number,
    probeAt: number
  })),
  wishes: [{ kind: "pause", host: null, actor: text, since: number, reason: text }],
  hosts: look.hosts.map((host) => ({
    ...host,
    mode: text,
    slots: number,
    used: number,
    hung: number,
    trouble: { since: number, detail: text }
  })),
  run: {
    title: text,
    startedAt: number,
    counts: { total: 10, landed: 3, working: 2, retrying: 1, waiting: 2, dead: 1, cancelled: 1 }
  }
})

const control = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

const fits = (state: BoardState, columns: number, rows: number): void => {
  const lines = frame(state)
  assert.isAtMost(lines.length, rows)
  for (const line of lines) {
    assert.isAtMost(lineWidth(line), columns)
    for (const { text } of line) assert.notMatch(text, control)
  }
}

describe("a frame of the board", () => {
  for (const [columns, rows] of sizes)
    for (const agents of [0, 4, 200])
      it(`shows ${agents} agents on ${columns} by ${rows}`, async () => {
        const board = boardOf(agents === 0 ? emptyFleet : fleetOf(agents), columns, rows)
        const text = frameText(board)
        assert.strictEqual(text.split("\n").length, rows)
        await expect(`${text}\n`).toMatchFileSnapshot(`frames/${columns}x${rows}-${agents}.txt`)
      })

  it("shows every pane, the help, a log and each question on the smallest and the largest terminal", () => {
    for (const [columns, rows] of [...sizes, [1, 1], [20, 6], [300, 90]] as const)
      for (const pane of paneNames) {
        const board = settled({
          ...boardOf(fleetOf(30), columns, rows),
          pane,
          filter: pane === "hosts" ? "none" : ""
        })
        fits(board, columns, rows)
        fits({ ...board, isHelp: true }, columns, rows)
        fits({ ...board, input: { kind: "filter", text: "wanted".repeat(40) } }, columns, rows)
        fits({ ...board, question: { text: "cancel?", command: { _tag: "Pause" } } }, columns, rows)
        fits({ ...board, scaling: { host: null, before: 4, slots: 5 } }, columns, rows)
        assert.include(rows < 24 ? "muster" : frameText(board), "muster")
      }
  })

  it.prop(
    "is never wider or taller than the terminal, whatever there is to show",
    [
      Text,
      Number,
      Few,
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 210 })),
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 60 })),
      Schema.Literals(paneNames)
    ],
    ([text, number, agents, columns, rows, pane]) => {
      const state = initial({ columns, rows, now, quits: "run", hasKeys: true })
      const board = settled({
        ...takeLook(state, spoilt(fleetOf(agents), text, number), now),
        pane,
        filter: ""
      })
      fits(board, columns, rows)
      fits(settled({ ...board, filter: text }), columns, rows)
      const log = { jobId: "a-1", lines: [], isFollowing: true, top: 0, search: text, isOver: false }
      const lines = [text, `before ${text}`].map(
        (line) => ({ at: number, source: "stdout", text: line }) as const
      )
      fits(takeLines({ ...board, log }, "a-1", lines), columns, rows)
    }
  )
})
