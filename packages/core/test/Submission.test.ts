import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { limits } from "../src/domain/Defaults.ts"
import { decode, Submission } from "../src/domain/Submission.ts"

const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
const wrong = (input: unknown) => Result.getOrThrow(Result.flip(decode(input)))
const right = (input: unknown) => Result.getOrThrow(decode(input))

describe("Submission", () => {
  it("reads the seed's names, and instants as epoch milliseconds", () => {
    const json = {
      workflow_type: "review",
      idempotency_key: "k 1",
      priority: -5,
      max_retries: 0,
      run_at: "2030-01-01T01:00:00+01:00",
      correlation_id: "order-7",
      trace_context: trace,
      payload: { path: "README.md" }
    }
    const submission = right(json)
    assert.deepInclude(submission, {
      workflowType: "review",
      idempotencyKey: "k 1",
      runAt: 1_893_456_000_000
    })
    assert.deepStrictEqual(Schema.encodeSync(Submission)(submission), {
      ...json,
      run_at: "2030-01-01T00:00:00.000Z"
    })
  })

  it("asks for a workflow and a payload only; null is the same as left out", () => {
    assert.deepStrictEqual(right({ workflow_type: "w", payload: null }), { workflowType: "w", payload: null })
    assert.isNull(right({ workflow_type: "w", payload: 1, run_at: null }).runAt)
    assert.strictEqual(wrong({ workflow_type: "w" }).path, '["payload"]')
    assert.strictEqual(wrong({ payload: 1 }).path, '["workflow_type"]')
    assert.strictEqual(wrong("text").path, "")
  })

  it("names the field that is wrong, in the caller's own names", () => {
    const fields: ReadonlyArray<readonly [field: string, values: ReadonlyArray<unknown>]> = [
      ["workflow_type", ["", " w", "w\n", "w".repeat(limits.workflowTypeLength + 1), 7]],
      ["idempotency_key", ["", "a\u0000b", "k".repeat(limits.keyLength + 1)]],
      ["priority", [1.5, limits.priority + 1, -limits.priority - 1, NaN, "1"]],
      ["max_retries", [-1, limits.maxRetries + 1, 0.5]],
      [
        "run_at",
        ["tomorrow", "2030-01-01", "2030-01-01T00:00:00", "2030-13-01T00:00:00Z", 1_893_456_000_000]
      ],
      ["correlation_id", ["", "c\t"]],
      [
        "trace_context",
        ["x", trace.toUpperCase(), `00-${"0".repeat(32)}-b7ad6b7169203331-01`, trace.replace(/^00/, "ff")]
      ],
      ["prioirty", [1]]
    ]
    for (const [field, values] of fields) {
      for (const value of values) {
        const input = { workflow_type: "w", payload: 1, [field]: value }
        assert.strictEqual(wrong(input).path, `["${field}"]`, `${field}: ${String(value)}`)
        assert.isNotEmpty(wrong(input).detail)
      }
    }
  })

  it("takes the values at its limits", () => {
    for (const input of [
      { priority: limits.priority },
      { priority: -limits.priority },
      { max_retries: limits.maxRetries },
      { idempotency_key: "k".repeat(limits.keyLength) },
      { run_at: "2030-01-01T00:00Z" }
    ]) {
      assert.isTrue(
        Result.isSuccess(decode({ workflow_type: "w", payload: 1, ...input })),
        JSON.stringify(input)
      )
    }
  })

  it("takes no day that its month doesn't have", () => {
    const at = (run_at: string) => ({ workflow_type: "w", payload: 1, run_at })
    for (const day of ["2026-02-29", "2026-02-31", "2026-04-31", "2026-13-01", "2026-00-10", "2026-01-00"]) {
      assert.strictEqual(wrong(at(`${day}T00:00:00Z`)).path, '["run_at"]')
    }
    assert.strictEqual(right(at("2028-02-29T00:00:00Z")).runAt, Date.UTC(2028, 1, 29))
  })
})
