import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Result, Schema } from "effect"
import { cutMark, encodeJson, fits, truncate } from "../src/domain/BoundedText.ts"

const Bytes = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 200 }))
const Text = Arbitrary.map(
  Arbitrary.array(Arbitrary.schema(Schema.Literals(["a", "é", "€", "😀", "\ud800", "\udc00", "\n"])), {
    maxLength: 80
  }),
  (parts) => parts.join("")
)
const size = (text: string) => new TextEncoder().encode(text).length
const refusal = (value: unknown, limit = 1_000) => Result.getOrThrow(Result.flip(encodeJson(value, limit)))

describe("truncate", () => {
  it.prop(
    "stays within its bytes, well formed, and is the text itself when that fits",
    [Text, Bytes],
    ([text, bytes]) => {
      const cut = truncate(text, bytes)
      return (
        size(cut) <= bytes &&
        cut.isWellFormed() &&
        fits(text, bytes) === size(text) <= bytes &&
        (size(text) <= bytes
          ? cut === text.toWellFormed()
          : bytes < 8 ||
            (cut.endsWith(cutMark) && text.toWellFormed().startsWith(cut.slice(0, -cutMark.length))))
      )
    }
  )

  it("uses the room that it has, and never splits a character", () => {
    assert.strictEqual(size(cutMark), 8)
    assert.strictEqual(truncate("x".repeat(30), 20), "x".repeat(12) + cutMark)
    assert.strictEqual(truncate("😀".repeat(10), 19), "😀😀" + cutMark)
    assert.strictEqual(truncate("abc", 2), "ab")
    assert.strictEqual(truncate("😀", 3), "")
  })
})

describe("encodeJson", () => {
  it.prop("is JSON.stringify for what fits", [Schema.Json], ([value]) => {
    const text = JSON.stringify(value)
    const encoded = encodeJson(value, size(text))
    return Result.isSuccess(encoded) && encoded.success === text
  })

  it.prop("refuses one byte too many", [Schema.Json], ([value]) => {
    return refusal(value, size(JSON.stringify(value)) - 1).reason === "too_large"
  })

  it("takes nothing at all for null", () => {
    assert.deepStrictEqual(encodeJson(undefined, 4), Result.succeed("null"))
  })

  it("never throws: cycles, BigInt, functions, toJSON, getters and proxies that throw", () => {
    const cycle: Array<unknown> = []
    cycle.push(cycle)
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    const angry = () => {
      throw proxy
    }
    const hostile = Object.defineProperty({}, "a", { get: angry, enumerable: true })
    for (const value of [cycle, 1n, { a: 1n }, () => 1, Symbol("x"), { toJSON: angry }, hostile, proxy]) {
      assert.strictEqual(refusal(value).reason, "not_json")
    }
    let deep: unknown = 1
    for (let level = 0; level < 100_000; level++) deep = [deep]
    assert.isTrue(Result.isFailure(encodeJson(deep, 10_000_000)))
  })

  it("counts an array's members, not their places, and nothing for members that JSON leaves out", () => {
    const digits = Array.from({ length: 50_000 }, () => 1)
    assert.isTrue(Result.isSuccess(encodeJson(digits, 100_001)))
    assert.strictEqual(refusal(digits, 100_000).reason, "too_large")
    const absent = Object.fromEntries(digits.map((_, index) => [`member ${index}`, undefined]))
    assert.deepStrictEqual(encodeJson(absent, 2), Result.succeed("{}"))
  })

  it("gives up at the limit on a small value that would be a huge text", () => {
    let shared: unknown = "laugh"
    for (let level = 0; level < 60; level++) shared = [shared, shared]
    assert.strictEqual(refusal(shared, 10_000).reason, "too_large")
    assert.strictEqual(refusal({ text: "x".repeat(1_000_000) }, 1_000).reason, "too_large")
  })
})
