import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { category, Code, isCode, maxCodeLength } from "../src/domain/Code.ts"
import { JobFailed } from "../src/domain/errors/JobFailed.ts"
import { orchErrors } from "../src/domain/errors/OrchError.ts"

describe("Code", () => {
  it("accepts codes of the six categories and nothing else", () => {
    for (const code of ["DQ_A", "MATH_1", "LEGAL_X_Y", "CONTRACT_Z", "ORCH_RETRYABLE_TIMEOUT", "EXT_9"]) {
      assert.isTrue(isCode(code), code)
      assert.isTrue(Schema.is(Code)(code), code)
    }
    for (const text of [
      "",
      "DQ_",
      "dq_a",
      "DQ_a",
      "FOO_A",
      "XDQ_A",
      "DQ_A\n",
      "DQ A",
      `DQ_${"A".repeat(62)}`
    ]) {
      assert.isFalse(Schema.is(Code)(text), JSON.stringify(text))
    }
    assert.isTrue(isCode(`DQ_${"A".repeat(maxCodeLength - 3)}`))
  })

  it("names the category of a code, and none for other texts", () => {
    assert.strictEqual(category("CONTRACT_PAYLOAD_TOO_LARGE"), "CONTRACT")
    assert.strictEqual(category("EXT_PROCESS_FAILED"), "EXT")
    assert.isNull(category("JobFailed"))
  })
})

interface Tagged {
  readonly _tag: string
  readonly message: string
}

const survivesJson = (schema: Schema.Codec<Tagged, unknown>, value: Tagged) => {
  const codec = Schema.toCodecJson(schema)
  const text = JSON.stringify(Schema.encodeSync(codec)(value))
  return Schema.decodeUnknownSync(codec)(JSON.parse(text)).message === value.message
}

describe("OrchError", () => {
  for (const [code, schema] of Object.entries<Schema.Codec<Tagged, unknown>>(orchErrors)) {
    it.prop(
      `${code} is the tag of its class; each of its values says something and survives JSON`,
      [schema],
      ([error]) =>
        isCode(code) && error._tag === code && error.message.length > 20 && survivesJson(schema, error),
      { arbitrary: { runs: 20, seed: "errors" } }
    )
  }

  it("has one class a code", () => {
    assert.strictEqual(new Set<unknown>(Object.values(orchErrors)).size, Object.keys(orchErrors).length)
  })

  it("leaves JobFailed to carry any code without being one", () => {
    const error = new JobFailed({
      jobId: "s-1",
      code: "EXT_FLAKY",
      summary: "no answer",
      deadLetterId: "s-1"
    })
    assert.isFalse(isCode(error._tag))
    assert.include(error.message, "EXT_FLAKY")
    assert.include(error.message, "dead letter s-1")
    assert.isTrue(survivesJson(JobFailed, error))
  })
})
