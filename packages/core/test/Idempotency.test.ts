import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { canonicalJson } from "../src/domain/CanonicalJson.ts"
import { answer, fingerprintMaterial, keyMaterial } from "../src/domain/Idempotency.ts"

const text = (value: unknown) => Result.getOrThrow(canonicalJson(value))

describe("Idempotency", () => {
  it.prop(
    "gives two operations one key only when workflow and payload are the same",
    [Schema.String, Schema.String, Schema.String, Schema.String],
    ([workflow, payload, otherWorkflow, otherPayload]) => {
      const [a, b] = [text(payload.toWellFormed()), text(otherPayload.toWellFormed())]
      const same = workflow === otherWorkflow && a === b
      return (keyMaterial(workflow, a) === keyMaterial(otherWorkflow, b)) === same
    }
  )

  it("doesn't mistake the end of a name for the beginning of a payload", () => {
    assert.notStrictEqual(keyMaterial("a\n1", "2"), keyMaterial("a", "1\n2"))
    assert.strictEqual(fingerprintMaterial('{"a":1}'), '{"a":1}')
  })

  it("answers a taken key by its fingerprint, whatever the state of the job (R17)", () => {
    assert.strictEqual(answer({ payloadFingerprint: "f" }, "f"), "duplicate")
    assert.strictEqual(answer({ payloadFingerprint: "f" }, "g"), "conflict")
  })
})
