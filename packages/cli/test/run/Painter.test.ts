import { assert, describe, it } from "@effect/vitest"
import { Painter } from "../../src/run/Painter.ts"
import { Terminal } from "./Terminal.ts"

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
