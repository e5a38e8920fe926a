import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { width } from "../../src/output/Text.ts"
import {
  abreast,
  apart,
  broken,
  cell,
  clipped,
  fitted,
  harmless,
  lineWidth,
  span
} from "../../src/watch/Cells.ts"

/** What no text on the screen may hold. */
const control = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

const hostile = Schema.Array(
  Schema.Literals([
    "\u001B[2J",
    "\u001B]0;title\u0007",
    "\u001B[31mred",
    "\t",
    "\r\n",
    "👩‍👩‍👧‍👦",
    "🇨🇭",
    "1️⃣",
    "❤️",
    "漢字",
    "שלום",
    "\u202Eabc",
    "e\u0301\u0301\u0301\u0301\u0301",
    "\u0301",
    "\uD800",
    "\u2028",
    "\u200B",
    "plain words ",
    "x".repeat(5_000)
  ])
)

describe("text in cells", () => {
  it.prop("is harmless whatever it was, and stays so", [hostile, Schema.String], ([parts, text]) => {
    const shown = harmless(parts.join("") + text)
    assert.notMatch(shown, control)
    assert.strictEqual(harmless(shown), shown)
  })

  it.prop(
    "never takes more than its cells, and a cell exactly them",
    [hostile, Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 90 }))],
    ([parts, cells]) => {
      const text = parts.join("")
      assert.isAtMost(width(fitted(text, cells)), cells)
      assert.strictEqual(width(cell(text, cells)), cells)
      assert.isAtMost(lineWidth(clipped([span(text), span(text, "bad")], cells)), cells)
      assert.isAtMost(lineWidth(apart([span(fitted(text, 30))], [span("end")], cells)), cells)
      for (const piece of broken(text, Math.max(2, cells))) assert.isAtMost(width(piece), Math.max(2, cells))
    }
  )

  it("is cut by what the terminal shows, not by its letters", () => {
    assert.deepStrictEqual([fitted("漢字", 4), fitted("漢字", 3), fitted("漢字", 2)], ["漢字", "漢…", "…"])
    assert.deepStrictEqual([cell("漢", 4), cell("漢", 4, "right"), cell("abc", 2)], ["漢  ", "  漢", "a…"])
  })

  it("loses nothing where it is broken", () => {
    assert.deepStrictEqual(broken("abcdefg", 3), ["abc", "def", "g"])
    assert.deepStrictEqual(broken("漢字漢", 4), ["漢字", "漢"])
    assert.deepStrictEqual(broken("漢a", 1), ["a"])
    assert.deepStrictEqual(broken("", 5), [""])
  })

  it("leaves out the parts that don't fit, and keeps those that do", () => {
    const parts = [[span("four")], [span("much longer")], [span("two")]]
    assert.strictEqual(
      abreast(parts, 9)
        .map(({ text }) => text)
        .join(""),
      "four  two"
    )
  })

  it("shows emoji as all terminals measure them", () => {
    assert.strictEqual(harmless("👩‍👩‍👧‍👦 1️⃣ 🇨🇭 ❤️"), "👩 1 CH ❤")
  })
})
