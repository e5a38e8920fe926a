// Words against words, whatever is missing, added or moved: what differs is named, and nothing else.
import { assert, describe, it } from "@effect/vitest"
import { declaredWords, type DeclaredList, type VocabularyRow, wordDrifts } from "@muster/core"
import { Schema } from "effect"

const lists = declaredWords()

/** A store that guards every list, each at one place. */
const soundRows: ReadonlyArray<VocabularyRow> = lists.flatMap(({ list, numbered, words }) =>
  words.map((word, number) => ({
    source: "constraint",
    list,
    place: "a table",
    word,
    number: numbered ? number : null
  }))
)

const compared = (rows: ReadonlyArray<VocabularyRow>, declared: ReadonlyArray<DeclaredList> = lists) =>
  wordDrifts(declared, rows, "fleet.db").map(({ kind, name }) => `${kind} ${name}`)

const Place = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: soundRows.length - 1 }))

describe("words", () => {
  it("that are the same on both sides don't differ", () => {
    assert.deepStrictEqual(compared(soundRows), [])
  })

  it.prop(
    "that a store lacks are missing, and no others",
    // the shortest list has three words: one that has none left is not guarded at all
    { gone: Schema.Array(Place).check(Schema.isMaxLength(2)) },
    ({ gone }) => {
      const without = new Set(gone)
      const rows = soundRows.filter((_, index) => !without.has(index))
      const expected = Array.from(without, (index) => `missing ${soundRows[index]?.word}`)
      assert.deepStrictEqual(compared(rows).toSorted(), expected.toSorted())
    }
  )

  it.prop("that a store has too many are not declared, wherever they lie", { at: Place }, ({ at }) => {
    const model = soundRows[at]
    assert.isDefined(model)
    for (const source of ["constraint", "held", "spelling"]) {
      const place = source === "constraint" ? model.place : "another table"
      const added = { ...model, source, place, word: "strange", number: null }
      const found = compared([...soundRows, added])
      assert.include(found, "undeclared strange")
      // a new place that names nothing else lacks every declared word; what is held need not be everything
      assert.strictEqual(found.length > 1, source === "spelling")
    }
  })

  it.prop("that have changed their places in a numbered list are told once", { at: Place }, ({ at }) => {
    const model = soundRows[at]
    const next = soundRows[at + 1]
    if (model?.number == null || next?.list !== model.list) return
    const rows = soundRows.with(at, { ...model, word: next.word }).with(at + 1, { ...next, word: model.word })
    const [first, ...rest] = wordDrifts(lists, rows, "fleet.db")
    assert.deepStrictEqual([first?.kind, rest.length], ["renumbered", 0])
    assert.include(first?.sentence ?? "", "and 1 more have moved")
  })
})
