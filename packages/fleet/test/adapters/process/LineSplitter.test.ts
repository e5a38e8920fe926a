import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as LineSplitter from "../../../src/adapters/process/LineSplitter.ts"

const generous: LineSplitter.SplitterLimits = {
  lineBytes: 64,
  messageBytes: 256,
  window: { millis: 100, lines: 1_000_000, bytes: 1_000_000_000 },
  floodTail: { lines: 3, bytes: 40 }
}
const tight = { ...generous, window: { millis: 100, lines: 2, bytes: 1_000 } }

interface Heard {
  readonly lines: Array<string>
  readonly messages: Array<string>
  readonly tooLong: Array<string>
  omitted: number
}

/** Lines that begin with `{m` are messages. */
const splitter = (limits: LineSplitter.SplitterLimits) => {
  const heard: Heard = { lines: [], messages: [], tooLong: [], omitted: 0 }
  const split = LineSplitter.make(limits, {
    line: (text, cut) => heard.lines.push(cut ? `${text}…` : text),
    message: (text) => text.trim().startsWith("{m") && heard.messages.push(text.trim()) > 0,
    tooLong: (start) => heard.tooLong.push(start),
    omitted: (bytes) => {
      heard.omitted += bytes
    }
  })
  return { heard, split }
}

const heardOf = (limits: LineSplitter.SplitterLimits, chunks: ReadonlyArray<Uint8Array | string>): Heard => {
  const { heard, split } = splitter(limits)
  for (const chunk of chunks) split.push(Buffer.from(chunk), 0)
  split.end()
  return heard
}

/** The bytes in pieces of these sizes, over and over. */
const cut = (bytes: Buffer, sizes: ReadonlyArray<number>): ReadonlyArray<Buffer> => {
  const pieces: Array<Buffer> = []
  for (let at = 0, i = 0; at < bytes.length; i += 1) {
    const size = sizes[i % sizes.length] ?? 1
    pieces.push(bytes.subarray(at, at + size))
    at += size
  }
  return pieces
}

const sizes = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9 })))
const pieces = Schema.Array(
  Schema.Union([Schema.String, Schema.Literals(["\n", "\r\n", "{m", "{", " ", "é", "x".repeat(70)])])
)

describe("LineSplitter", () => {
  it("hands on lines without their breaks, the last one without a break too", () => {
    assert.deepStrictEqual(heardOf(generous, ["a\n\nb\r\n c", "d"]).lines, ["a", "", "b", " cd"])
  })

  it("puts characters together that came in two chunks, and replaces what is no text", () => {
    const bytes = Buffer.from("é\n")
    const chunks = [bytes.subarray(0, 1), bytes.subarray(1), Buffer.from([0xc3, 0x0a, 0xff, 0x00, 0x0a])]
    assert.deepStrictEqual(heardOf(generous, chunks).lines, ["é", "\ufffd", "\ufffd\0"])
  })

  it("cuts a long line and goes on after it (R36)", () => {
    const long = "x".repeat(1_000)
    assert.deepStrictEqual(heardOf(generous, [long, long, "\nnext\n"]).lines, [`${"x".repeat(64)}…`, "next"])
    assert.deepStrictEqual(heardOf(generous, [`${long}\nnext`]).lines, [`${"x".repeat(64)}…`, "next"])
  })

  it("takes lines with a brace for messages, longer ones than plain lines, and lines that are none for plain ones", () => {
    const long = `{m${"x".repeat(200)}`
    const heard = heardOf(generous, [`{m1\n  {m2\n{no\n${long}\n`])
    assert.deepStrictEqual(heard.messages, ["{m1", "{m2", long])
    assert.deepStrictEqual(heard.lines, ["{no"])
  })

  it("gives up on a message that is too long, says how it began, and shows its start", () => {
    const heard = heardOf(generous, ["{m", "x".repeat(10_000), "\n{m1\n"])
    assert.deepStrictEqual(heard.messages, ["{m1"])
    assert.isTrue(heard.tooLong[0]?.startsWith("{mxxx"))
    assert.deepStrictEqual(heard.lines, [`{m${"x".repeat(62)}…`])
  })

  it("hands on the start and the end of a flood and counts the rest", () => {
    const rows = Array.from({ length: 100 }, (_, i) => `row ${i}`)
    const heard = heardOf(tight, [`${rows.join("\n")}\n`])
    assert.deepStrictEqual(heard.lines, ["row 0", "row 1", "row 97", "row 98", "row 99"])
    const all = rows.join("\n").length + 1
    const shown = heard.lines.reduce((sum, line) => sum + line.length + 1, 0)
    assert.strictEqual(heard.omitted, all - shown)
  })

  it("begins the end of a flood with a whole line", () => {
    const rows = Array.from({ length: 10 }, (_, i) => `${i}${"x".repeat(14)}`)
    assert.deepStrictEqual(heardOf(tight, [`${rows.join("\n")}\n`]).lines, [
      ...rows.slice(0, 2),
      ...rows.slice(-2)
    ])
  })

  it("finds every message in a flood", () => {
    const rows = Array.from({ length: 100 }, (_, i) => (i % 10 === 5 ? `{m${i}` : `{ ${i} {m`))
    const flood = Buffer.from(rows.join("\n"))
    const expected = ["{m5", "{m15", "{m25", "{m35", "{m45", "{m55", "{m65", "{m75", "{m85", "{m95"]
    assert.deepStrictEqual(heardOf(tight, [flood]).messages, expected)
    assert.deepStrictEqual(heardOf(tight, cut(flood, [7])).messages, expected)
  })

  it("opens again with the next window, and settles in between when it is asked", () => {
    const { heard, split } = splitter(tight)
    split.push(Buffer.from("a\nb\nc\nd\n"), 0)
    assert.isTrue(split.isFull())
    assert.deepStrictEqual(heard.lines, ["a", "b"])
    split.settle()
    assert.deepStrictEqual(heard.lines, ["a", "b", "c", "d"])
    split.push(Buffer.from("e\nf\ng\n"), 50)
    split.push(Buffer.from("h\n"), 100)
    assert.deepStrictEqual(heard.lines, ["a", "b", "c", "d", "e", "f", "g", "h"])
    assert.isFalse(split.isFull())
  })

  it.prop(
    "hears the same however the bytes are cut into chunks",
    [pieces, sizes],
    ([texts, lengths]) => {
      const bytes = Buffer.from(texts.join(""))
      assert.deepStrictEqual(heardOf(generous, cut(bytes, lengths)), heardOf(generous, [bytes]))
    },
    { arbitrary: { seed: "lines" } }
  )

  it.prop(
    "loses no message in a flood, however the bytes are cut",
    [pieces, sizes],
    ([texts, lengths]) => {
      const bytes = Buffer.from(`${texts.join("\n")}\n`)
      const calm = heardOf(generous, [bytes])
      const heard = heardOf(tight, cut(bytes, lengths))
      assert.deepStrictEqual(heard.messages, calm.messages)
    },
    { arbitrary: { seed: "lines" } }
  )
})
