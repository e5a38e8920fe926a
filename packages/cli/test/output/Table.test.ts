import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { brief, relative } from "../../src/output/Duration.ts"
import { plain } from "../../src/output/Style.ts"
import { type Column, table } from "../../src/output/Table.ts"
import { fit, oneLine, width, wrap } from "../../src/output/Text.ts"

type Row = readonly [string, string]

const columns: ReadonlyArray<Column<Row>> = [
  { title: "name", value: ([name]) => name, shrinkTo: 5 },
  { title: "n", align: "right", value: ([, number]) => number }
]

describe("a table", () => {
  it("aligns its columns under their titles, numbers to the right", () => {
    const rows: ReadonlyArray<Row> = [
      ["a", "1"],
      ["longer", "1,000"]
    ]
    assert.deepStrictEqual(table(columns, rows, { width: 80, style: plain }), [
      "name        n",
      "a           1",
      "longer  1,000"
    ])
  })

  it("cuts what may be cut, and only as far as it must", () => {
    const rows: ReadonlyArray<Row> = [["a-very-long-name", "1,000"]]
    assert.deepStrictEqual(table(columns, rows, { width: 20, style: plain })[1], "a-very-long-…  1,000")
    assert.deepStrictEqual(table(columns, rows, { width: 4, style: plain })[1], "a-ve…  1,000")
  })

  it("aligns by what the terminal shows: wide characters count twice", () => {
    const rows: ReadonlyArray<Row> = [
      ["日本", "1"],
      ["abc", "2"]
    ]
    assert.deepStrictEqual(table(columns, rows, { width: 80, style: plain }).slice(1), ["日本  1", "abc   2"])
  })

  it.prop(
    "is never wider than its page while its columns may shrink",
    [Schema.Array(Schema.String)],
    ([names]) => {
      const rows = names.map((name): Row => [name, "1"])
      for (const line of table(columns, rows, { width: 12, style: plain })) {
        assert.isAtMost(width(line), 12)
        assert.notInclude(line, "\n")
        assert.notInclude(line, "\u001B")
      }
    }
  )
})

describe("text from anybody", () => {
  it.prop("is shown on one line, without control characters", [Schema.String], ([text]) => {
    assert.notMatch(oneLine(text), /[\p{Cc}\u202E]/u)
  })

  it("shows an escape sequence instead of obeying it", () => {
    assert.strictEqual(oneLine("a\u001B[2Jb\nc"), String.raw`a\x1b[2Jb ⏎ c`)
  })

  it.prop("is cut to the columns that there are", [Schema.String], ([text]) => {
    assert.isAtMost(width(fit(oneLine(text), 7)), 7)
  })

  it("is broken at spaces, and loses nothing", () => {
    assert.deepStrictEqual(wrap("one two three", 7), ["one two", "three"])
    assert.deepStrictEqual(wrap("immeasurable", 5), ["immeasurable"])
  })
})

describe("a span of time", () => {
  it("is told in the largest units that matter", () => {
    assert.deepStrictEqual(
      [0, 999, 1_000, 1_950, 9_999, 10_000, 61_000, 3_600_000, 3_660_000, 90_000_000].map(brief),
      ["0ms", "999ms", "1s", "1.9s", "9.9s", "10s", "1m 1s", "1h", "1h 1m", "1d 1h"]
    )
  })

  it("says on which side of now it lies", () => {
    assert.deepStrictEqual([relative(0, 5_000), relative(5_000, 0)], ["5s ago", "in 5s"])
  })
})
