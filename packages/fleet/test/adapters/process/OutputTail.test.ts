import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as OutputTail from "../../../src/adapters/process/OutputTail.ts"

const tailOf = (limit: number, chunks: ReadonlyArray<string>) => {
  const tail = OutputTail.make(limit)
  for (const chunk of chunks) tail.push(Buffer.from(chunk))
  return tail
}

describe("OutputTail", () => {
  it("keeps all of a short output", () => {
    const tail = tailOf(10, ["ab", "", "cdé"])
    assert.strictEqual(tail.text(), "abcdé")
    assert.isFalse(tail.isCut())
  })

  it("begins with a whole character", () => {
    const tail = tailOf(4, ["éé", "éx"])
    assert.strictEqual(tail.text(), "éx")
    assert.isTrue(tail.isCut())
  })

  it("replaces what is no text", () => {
    const tail = OutputTail.make(8)
    tail.push(Buffer.from([0xff, 0xfe, 0x61]))
    assert.strictEqual(tail.text(), "\ufffd\ufffda")
  })

  it.prop(
    "is the end of what was written, however it was cut into chunks",
    [
      Schema.Array(Schema.String.check(Schema.isPattern(/^[a-z]*$/))),
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5_000 }))
    ],
    ([chunks, limit]) => {
      const doubled = [...chunks, ...chunks.map((chunk) => chunk.repeat(100)), ...chunks]
      const tail = tailOf(limit, doubled)
      const whole = doubled.join("")
      return tail.text() === whole.slice(-limit) && tail.isCut() === whole.length > limit
    },
    { arbitrary: { seed: "tail" } }
  )
})
