import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { canonicalJson, maxDepth } from "../src/domain/CanonicalJson.ts"

const text = (value: unknown) => Result.getOrThrow(canonicalJson(value))
const refusal = (value: unknown) => Result.getOrThrow(Result.flip(canonicalJson(value)))

/** RFC 8785, appendix B: the IEEE 754 bits of a number, and its text. */
const numbers: ReadonlyArray<readonly [bits: string, text: string]> = [
  ["0000000000000000", "0"],
  ["8000000000000000", "0"],
  ["0000000000000001", "5e-324"],
  ["8000000000000001", "-5e-324"],
  ["7fefffffffffffff", "1.7976931348623157e+308"],
  ["ffefffffffffffff", "-1.7976931348623157e+308"],
  ["4340000000000000", "9007199254740992"],
  ["c340000000000000", "-9007199254740992"],
  ["4430000000000000", "295147905179352830000"],
  ["44b52d02c7e14af5", "9.999999999999997e+22"],
  ["44b52d02c7e14af6", "1e+23"],
  ["44b52d02c7e14af7", "1.0000000000000001e+23"],
  ["444b1ae4d6e2ef4e", "999999999999999700000"],
  ["444b1ae4d6e2ef4f", "999999999999999900000"],
  ["444b1ae4d6e2ef50", "1e+21"],
  ["3eb0c6f7a0b5ed8c", "9.999999999999997e-7"],
  ["3eb0c6f7a0b5ed8d", "0.000001"],
  ["41b3de4355555553", "333333333.3333332"],
  ["41b3de4355555554", "333333333.33333325"],
  ["41b3de4355555555", "333333333.3333333"],
  ["41b3de4355555556", "333333333.3333334"],
  ["41b3de4355555557", "333333333.33333343"],
  ["becbf647612f3696", "-0.0000033333333333333333"],
  ["43143ff3c1cb0959", "1424953923781206.2"]
]

const fromBits = (bits: string) => {
  const view = new DataView(new ArrayBuffer(8))
  view.setBigUint64(0, BigInt(`0x${bits}`))
  return view.getFloat64(0)
}

/** The same data with its members in the opposite order. */
const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== "object" || value === null) return value
  const copy = Object.create(null) as Record<string, unknown> // a null prototype, so that "__proto__" is a name like any
  for (const [key, member] of Object.entries(value).toReversed()) copy[key] = reversed(member)
  return copy
}

describe("canonicalJson", () => {
  it("writes the numbers of RFC 8785, appendix B (R17)", () => {
    for (const [bits, expected] of numbers) assert.strictEqual(text(fromBits(bits)), expected, bits)
  })

  it("writes the example of RFC 8785, section 3.2.2 and 3.2.3", () => {
    const example: unknown = JSON.parse(String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`)
    assert.strictEqual(
      text(example),
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'
    )
  })

  it("sorts names by UTF-16 code units, as in RFC 8785, section 3.2.3", () => {
    const members = {
      "\u20ac": "Euro Sign",
      "\r": "Carriage Return",
      "\ufb33": "Hebrew Letter Dalet With Dagesh",
      "1": "One",
      "\ud83d\ude00": "Emoji: Grinning Face",
      "\u0080": "Control",
      "\u00f6": "Latin Small Letter O With Diaeresis"
    }
    assert.deepStrictEqual(
      Array.from(text(members).matchAll(/":"([^"]+)"/g), ([, value]) => value),
      [
        "Carriage Return",
        "One",
        "Control",
        "Latin Small Letter O With Diaeresis",
        "Euro Sign",
        "Emoji: Grinning Face",
        "Hebrew Letter Dalet With Dagesh"
      ]
    )
  })

  it("refuses what is not JSON, and names the place", () => {
    assert.deepInclude(refusal({ a: [1, NaN] }), { reason: "not_finite", path: '["a"][1]' })
    assert.deepInclude(refusal(-Infinity), { reason: "not_finite", path: "" })
    assert.deepInclude(refusal({ a: "\ud800" }), { reason: "lone_surrogate", path: '["a"]' })
    assert.deepInclude(refusal({ "\udc00": 1 }), { reason: "lone_surrogate" })
    for (const value of [
      undefined,
      1n,
      Symbol("x"),
      () => 1,
      new Map(),
      new Set([1]),
      [undefined],
      { a: 1n }
    ]) {
      assert.strictEqual(refusal(value).reason, "not_json")
    }
  })

  it("never throws: cycles, depth, hostile getters, proxies and toJSON", () => {
    const cycle: Record<string, unknown> = {}
    cycle["self"] = cycle
    assert.strictEqual(refusal(cycle).reason, "too_deep")
    let deep: unknown = 1
    for (let level = 0; level <= maxDepth; level++) deep = [deep]
    assert.strictEqual(refusal(deep).reason, "too_deep")
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    const angry = () => {
      throw new Error("no")
    }
    for (const value of [
      proxy,
      { toJSON: angry },
      Object.defineProperty({}, "a", { get: angry, enumerable: true })
    ]) {
      assert.strictEqual(refusal(value).reason, "not_json")
    }
  })

  it("takes an undefined member for an absent one, and asks toJSON once", () => {
    assert.strictEqual(text({ b: undefined, a: 1 }), '{"a":1}')
    assert.strictEqual(text({ at: { toJSON: () => ({ toJSON: 1, b: "x" }) } }), '{"at":{"b":"x","toJSON":1}}')
  })

  it.prop("gives the same data the same text, and the text the same data", [Schema.Json], ([value]) => {
    if (Result.isFailure(canonicalJson(value))) return JSON.stringify(value).includes("\\ud") // a lone surrogate
    assert.strictEqual(text(reversed(value)), text(value))
    assert.strictEqual(text(JSON.parse(text(value))), text(value))
    assert.deepStrictEqual(JSON.parse(text(value)), JSON.parse(JSON.stringify(value)))
    return true
  })
})
