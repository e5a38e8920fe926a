import { stripVTControlCharacters } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import type { AgentGlimpse } from "@muster/fleet"
import { Schema } from "effect"
import { expect } from "vitest"
import { width } from "../../src/output/Text.ts"
import { type BoardView, renderBoard } from "../../src/run/Board.ts"

const now = 1_800_000_000_000

const agent = (seq: number, over: Partial<AgentGlimpse> = {}): AgentGlimpse => ({
  jobId: `k3f9qx-${seq}`,
  seq,
  workflowType: "reader-1a2b3c4d",
  state: "working",
  phase: "work",
  incarnation: 1,
  attempt: 1,
  startedAt: now - 3_200,
  lastEventAt: now - 400,
  silenceAt: now + 60_000,
  question: null,
  lastLine: `reading src/file-${seq}.ts`,
  fraction: null,
  inputTokens: null,
  outputTokens: null,
  cost: null,
  ...over
})

const view: BoardView = {
  title: "reader-1a2b3c4d",
  store: ".muster/fleet.db",
  now,
  startedAt: now - 72_000,
  slots: 4,
  agents: [
    agent(17),
    agent(18, { attempt: 3, lastLine: "third try", fraction: 0.42 }),
    agent(19, { state: "dispatched", phase: "prepare", lastLine: "" }),
    agent(120, {
      lastEventAt: now - 45_000,
      lastLine: "\u001b[31mTürme 日本語の行\u001b[0m \u0007 ".repeat(9)
    })
  ],
  counts: { total: 200, landed: 50, working: 4, retrying: 1, waiting: 143, dead: 2, cancelled: 0 },
  retries: 6,
  nextDue: null,
  notice: ""
}

const lines = (board: string): ReadonlyArray<string> => board.split("\n")

describe("the board", () => {
  it("at 80 columns has a line for each agent, the progress and the counts", () => {
    expect(renderBoard(view, { columns: 80, rows: 24, color: false })).toMatchInlineSnapshot(`
      "reader-1a2b3c4d · 4 slots · 1m 12s                              .muster/fleet.db
      ███████████████▒░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░ 52/200 26%
      landed 50  working 4  waiting 143  retrying 1  dead 2  retries 6

      job         agent       phase     age     try  last line
      k3f9qx-17   working     work      3.2s    1    reading src/file-17.ts
      k3f9qx-18   working     work      3.2s    3    42% third try
      k3f9qx-19   dispatched  prepare   3.2s    1
      k3f9qx-120  working     work      3.2s    1    (quiet 45s) Türme 日本語の行 \\x0…"
    `)
  })

  it("at 40 columns keeps job, age and last words", () => {
    expect(renderBoard(view, { columns: 40, rows: 24, color: false })).toMatchInlineSnapshot(`
      "reader-1a2b3c4d · 4 slots · 1m 12s
      ███████▒░░░░░░░░░░░░░░░░░░░░░ 52/200 26%
      landed 50  working 4  waiting 143
      retrying 1  dead 2  retries 6

      job  age     last line
      17   3.2s    reading src/file-17.ts
      18   3.2s    42% third try
      19   3.2s
      120  3.2s    (quiet 45s) Türme 日本語の…"
    `)
  })

  it("at 200 columns gives the room to what agents say", () => {
    expect(renderBoard(view, { columns: 200, rows: 24, color: false })).toMatchInlineSnapshot(`
      "reader-1a2b3c4d · 4 slots · 1m 12s                                                                                                                                                      .muster/fleet.db
      ███████████████▒░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░ 52/200 26%
      landed 50  working 4  waiting 143  retrying 1  dead 2  retries 6

      job         agent       phase     age     try  last line
      k3f9qx-17   working     work      3.2s    1    reading src/file-17.ts
      k3f9qx-18   working     work      3.2s    3    42% third try
      k3f9qx-19   dispatched  prepare   3.2s    1
      k3f9qx-120  working     work      3.2s    1    (quiet 45s) Türme 日本語の行 \\x07 Türme 日本語の行 \\x07 Türme 日本語の行 \\x07 Türme 日本語の行 \\x07 Türme 日本語の行 \\x07 Türme 日本語の行 \\x07 Türme 日…"
    `)
  })

  it("says how many agents have no room", () => {
    const many = { ...view, agents: Array.from({ length: 30 }, (_, index) => agent(index + 1)) }
    const shown = lines(renderBoard(many, { columns: 80, rows: 12, color: false }))
    assert.strictEqual(shown.length, 11)
    assert.strictEqual(shown.at(-1), "… and 25 more")
  })

  it("says when the next job is due while no agent works, and what it was asked to do", () => {
    const waiting = { ...view, agents: [], nextDue: now + 12_000, notice: "stopping" }
    const shown = renderBoard(waiting, { columns: 80, rows: 24, color: false })
    assert.match(shown, /no agent is at work; the next job is due in 12s$/)
    assert.match(shown, / {2}stopping\n/)
  })

  it("shows one lost job among a thousand, and is full only when all is over", () => {
    const counts = { total: 1_000, landed: 998, working: 1, retrying: 0, waiting: 0, dead: 1, cancelled: 0 }
    const [, bar] = lines(renderBoard({ ...view, counts }, { columns: 80, rows: 24, color: false }))
    assert.match(String(bar), /█+▒░+ 999\/1000 99%$/)
  })

  it("paints with colours only where they are wanted, and they change no letter", () => {
    const colored = renderBoard(view, { columns: 80, rows: 24, color: true })
    assert.notStrictEqual(stripVTControlCharacters(colored), colored)
    assert.strictEqual(
      stripVTControlCharacters(colored),
      renderBoard(view, { columns: 80, rows: 24, color: false })
    )
  })

  const size = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 210 }))
  const count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5_000 }))

  it.prop(
    "is never wider or higher than the terminal, whatever agents say",
    {
      columns: size,
      rows: size,
      words: Schema.String,
      title: Schema.String,
      agents: count,
      landed: count,
      dead: count
    },
    ({ agents, columns, dead, landed, rows, title, words }) => {
      const board = renderBoard(
        {
          ...view,
          title,
          agents: Array.from({ length: agents % 300 }, (_, index) => agent(index, { lastLine: words })),
          counts: { ...view.counts, landed, dead, total: landed + dead + 4 + 1 + 143 }
        },
        { columns, rows, color: true }
      )
      assert.isAtMost(lines(board).length, Math.max(1, rows - 1))
      for (const line of lines(board)) {
        const text = stripVTControlCharacters(line)
        assert.isAtMost(width(text), columns)
        assert.notMatch(text, /\p{Cc}/u)
      }
    }
  )
})
