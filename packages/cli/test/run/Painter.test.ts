import { assert, describe, it } from "@effect/vitest"
import { Painter } from "../../src/run/Painter.ts"

const escape = "\u001b"
const tokens = new RegExp(`${escape}\\[(?:(\\d+)A|\\??\\d*[a-zA-Z])|[\\s\\S]`, "g")

/** As much of a terminal as the painter uses: text, line feed, return, up, erase; lines wrap as terminals wrap them. */
class Terminal {
  columns: number
  writes = 0
  cursorShown = true
  #rows: Array<string> = [""]
  #row = 0
  #column = 0

  constructor(columns: number) {
    this.columns = columns
  }

  get text(): string {
    return this.#rows
      .map((row) => row.trimEnd())
      .join("\n")
      .trimEnd()
  }

  /** As a terminal does that wraps what no longer fits. */
  narrow(columns: number): void {
    this.columns = columns
    const rows = this.#rows.flatMap((row) => row.trimEnd().match(new RegExp(`.{1,${columns}}`, "g")) ?? [""])
    this.#row = rows.length - 1
    this.#rows = rows
  }

  write(text: string): void {
    this.writes++
    for (const [token, up] of text.matchAll(tokens)) this.#take(token, up)
  }

  #take(token: string, up: string | undefined): void {
    const line = this.#rows[this.#row] ?? ""
    if (up !== undefined) this.#row = Math.max(0, this.#row - Number(up))
    else if (token === "\r") this.#column = 0
    else if (token === "\n") {
      this.#row++
      this.#column = 0
      this.#rows[this.#row] ??= ""
    } else if (token === "\u001b[K") this.#rows[this.#row] = line.slice(0, this.#column)
    else if (token === "\u001b[J") {
      this.#rows.length = this.#row + 1
      this.#rows[this.#row] = line.slice(0, this.#column)
    } else if (token === "\u001b[?25l") this.cursorShown = false
    else if (token === "\u001b[?25h") this.cursorShown = true
    else if (!token.startsWith("\u001b")) {
      this.#rows[this.#row] =
        line.slice(0, this.#column).padEnd(this.#column) + token + line.slice(this.#column + 1)
      this.#column++
    }
  }
}

const start = (columns = 40) => {
  const terminal = new Terminal(columns)
  return { terminal, painter: new Painter(terminal) }
}

describe("the painter", () => {
  it("draws a frame over the one before, whichever is longer", () => {
    const { painter, terminal } = start()
    painter.paint("first line\nsecond line\nthird")
    painter.paint("one")
    assert.strictEqual(terminal.text, "one")
    painter.paint("one\ntwo\nthree\nfour")
    assert.strictEqual(terminal.text, "one\ntwo\nthree\nfour")
  })

  it("keeps talk above the frame", () => {
    const { painter, terminal } = start()
    painter.paint("a long first line\nsecond")
    painter.talk("careful")
    painter.paint("x\ny")
    painter.talk("two\nlines\n")
    assert.strictEqual(terminal.text, "careful\ntwo\nlines\nx\ny")
  })

  it("leaves nothing of a frame behind when the terminal got narrower", () => {
    const { painter, terminal } = start()
    painter.talk("kept")
    painter.paint("a line of thirty characters...\nshort")
    terminal.narrow(12)
    painter.paint("new frame")
    assert.strictEqual(terminal.text, "kept\nnew frame")
  })

  it("writes once a frame, hides the cursor while it paints, and gives it back", () => {
    const { painter, terminal } = start()
    painter.paint("one\ntwo")
    painter.paint("three")
    assert.strictEqual(terminal.writes, 2)
    assert.isFalse(terminal.cursorShown)
    painter.clear()
    assert.isTrue(terminal.cursorShown)
    assert.strictEqual(terminal.text, "")
  })
})
