import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { fill, hasPlaceholders } from "../../../src/adapters/process/CommandTemplate.ts"

const payload = {
  path: "a b/$(rm).txt",
  n: 1,
  no: null,
  deep: { list: [{ name: "first" }, ["x"]], "odd-key": true },
  brace: "{n}"
}

const filled = (word: string, from: unknown = payload): string => {
  const result = fill([word], from)
  return Result.isSuccess(result) ? (result.success[0] ?? "nothing") : `failed at ${result.failure.path}`
}

const noBraces = Schema.String.check(Schema.isPattern(/^[^{]*$/))

describe("CommandTemplate", () => {
  for (const [word, expected] of [
    ["{path}", "a b/$(rm).txt"],
    ["{payload.path}", "a b/$(rm).txt"],
    ["--in={path}:{n}", "--in=a b/$(rm).txt:1"],
    ["{n}", "1"],
    ["{no}", "null"],
    ["{payload.no}", "null"],
    ["{deep.list[0].name}", "first"],
    ["{payload.deep.list.0.name}", "first"],
    ["{deep.list[1]}", '["x"]'],
    ["{deep.odd-key}", "true"],
    ["{deep}", '{"list":[{"name":"first"},["x"]],"odd-key":true}'],
    ["{payload.brace}", "{n}"],
    ["{{n}", "{n}"],
    ["{{{n}}", "{1}"],
    ["{{", "{"]
  ] as const)
    it(`fills ${word}`, () => assert.strictEqual(filled(word), expected))

  for (const word of [
    "{",
    "}",
    "{}",
    "{ n }",
    "${HOME}",
    "{print $1}",
    "{missing}",
    "{deep.missing}",
    "{deep.list[7]}",
    "{path.length}",
    "{deep.list.length}",
    "{constructor}",
    "{__proto__}",
    '{"n":1}',
    "{n",
    "{n..x}"
  ])
    it(`leaves ${word} as it is (R33)`, () => assert.strictEqual(filled(word), word))

  it("names the path that a payload lacks (R33)", () => {
    assert.strictEqual(filled("{payload.deep.list[9].name}"), 'failed at ["deep"]["list"][9]["name"]')
    assert.strictEqual(filled("{payload.constructor}"), 'failed at ["constructor"]')
    assert.strictEqual(filled("{payload.x}", "text"), 'failed at ["x"]')
  })

  it("means the whole payload by {payload}, and items by their index where it is a list", () => {
    assert.strictEqual(filled("{payload}", [1, "a"]), '[1,"a"]')
    assert.strictEqual(filled("{payload[1]}", [1, "a"]), "a")
    assert.strictEqual(filled("{0}", [1, "a"]), "1")
  })

  it("refuses a NUL, which no argument can hold", () => {
    assert.strictEqual(filled("{x}", { x: "a\0b" }), 'failed at ["x"]')
  })

  it("keeps every word one word", () => {
    const words = ["sh", "{path}", "{path}"]
    assert.deepStrictEqual(fill(words, payload), Result.succeed(["sh", payload.path, payload.path]))
  })

  it.prop(
    "text without an opening brace is unchanged",
    [Schema.Array(noBraces)],
    ([words]) => {
      const result = fill(words, payload)
      return (
        !hasPlaceholders(words) &&
        Result.isSuccess(result) &&
        words.every((word, i) => result.success[i] === word)
      )
    },
    { arbitrary: { seed: "template" } }
  )

  it.prop(
    "doubled braces write any text literally (R33)",
    [Schema.String],
    ([text]) => filled(text.replaceAll("{", "{{")) === text,
    { arbitrary: { seed: "template" } }
  )

  it.prop(
    "a value is written as it is, whatever it looks like",
    [Schema.String.check(Schema.isPattern(/^[^\0]*$/))],
    ([value]) => filled("<{payload.v}>", { v: value }) === `<${value}>`,
    { arbitrary: { seed: "template" } }
  )
})
