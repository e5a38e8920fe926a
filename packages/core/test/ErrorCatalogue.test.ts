import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { type CatalogueRow, CodePolicy } from "../src/domain/CatalogueRow.ts"
import { isCode } from "../src/domain/Code.ts"
import { defaultRows } from "../src/domain/DefaultCatalogue.ts"
import { compile, lookup } from "../src/domain/ErrorCatalogue.ts"
import { orchErrors } from "../src/domain/errors/OrchError.ts"
import { exitCodes } from "../src/domain/ExitCode.ts"

const policy = (rows: ReadonlyArray<CatalogueRow>, code: string) =>
  Effect.map(compile(rows), (catalogue) => lookup(catalogue, code).policy)

const Suffix = Schema.Literals(["A", "AB", "ABC", "A_B", "B", "Z9"])
const RowCode = Schema.TemplateLiteral([
  Schema.Literals(["EXT_", "DQ_", "ORCH_"]),
  Suffix,
  Schema.Literals(["", "*"])
])
const Rows = Schema.Array(
  Schema.Struct({
    code: RowCode,
    maxAttempts: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 99 }))
  })
)
const Asked = Schema.TemplateLiteral([Schema.Literals(["EXT_", "DQ_", "ORCH_", "MATH_"]), Suffix])

describe("ErrorCatalogue", () => {
  it("has a row of its own for each class, and no row for a code without a class", () => {
    const rows = defaultRows.map(({ code }) => code).filter(isCode)
    assert.sameMembers(rows, Object.keys(orchErrors))
    assert.strictEqual(new Set(rows).size, rows.length)
  })

  it.effect("retries EXT and ORCH_RETRYABLE codes, and nothing else that nobody declared", () =>
    Effect.gen(function* () {
      const catalogue = yield* compile()
      for (const [code, retryable] of [
        ["EXT_WHATEVER", true],
        ["ORCH_RETRYABLE_WHATEVER", true],
        ["DQ_X", false],
        ["LEGAL_X", false],
        ["MATH_X", false],
        ["CONTRACT_X", false],
        ["ORCH_X", false],
        ["unheard of", false],
        ["", false]
      ] as const) {
        const found = lookup(catalogue, code).policy
        assert.strictEqual(found.retryable, retryable, code)
        assert.isTrue(found.retryable ? found.deadLetterOnExhaustion : found.quarantine, code)
      }
      assert.isFalse(lookup(catalogue, "LEGAL_X").policy.replayEligible)
      assert.isTrue(lookup(catalogue, "DQ_X").policy.replayEligible)
      assert.isNull(lookup(catalogue, "unheard of").policy.category)
    })
  )

  it.effect("has the default numbers", () =>
    Effect.gen(function* () {
      const catalogue = yield* compile()
      const numbers = { backoffMultiplier: 2, jitter: 0.2, maxAttempts: 5 }
      assert.deepInclude(lookup(catalogue, "EXT_X").policy, {
        ...numbers,
        backoffBaseSeconds: 1,
        maxBackoffSeconds: 300
      })
      assert.deepInclude(lookup(catalogue, "ORCH_RETRYABLE_X").policy, {
        ...numbers,
        backoffBaseSeconds: 0.5,
        maxBackoffSeconds: 60
      })
      assert.deepStrictEqual(lookup(catalogue, "EXT_X").plan, [1_000, 2_000, 4_000, 8_000])
    })
  )

  it.effect.prop(
    "answers by the longest match, an exact row first, and by the latest of equal rows",
    [Rows, Asked],
    ([rows, code]) =>
      Effect.gen(function* () {
        const catalogue = yield* compile(rows)
        const candidates = rows.filter((row) =>
          row.code.endsWith("*") ? code.startsWith(row.code.slice(0, -1)) : row.code === code
        )
        const reach = (row: { readonly code: string }) =>
          row.code.endsWith("*") ? row.code.length - 1 : row.code.length + 0.5
        const best = candidates.reduce<CatalogueRow | undefined>(
          (found, row) => (found === undefined || reach(row) >= reach(found) ? row : found),
          undefined
        )
        const answer = lookup(catalogue, code)
        assert.strictEqual(lookup(catalogue, code), answer)
        if (best !== undefined) assert.strictEqual(answer.policy.maxAttempts, best.maxAttempts)
        return best === undefined || answer.policy.code === best.code
      })
  )

  it.effect("takes what a row leaves out from the next shorter one, also when a host changed that", () =>
    Effect.gen(function* () {
      const rows = [
        { code: "EXT_PAY_DECLINED", retryable: false },
        { code: "EXT_PAY_*", maxAttempts: 9 },
        { code: "EXT_*", jitter: 0.5 }
      ]
      const declined = yield* policy(rows, "EXT_PAY_DECLINED")
      assert.deepInclude(declined, {
        retryable: false,
        maxAttempts: 9,
        jitter: 0.5,
        backoffBaseSeconds: 1,
        category: "EXT"
      })
      assert.deepInclude(yield* policy(rows, "EXT_PROCESS_FAILED"), { jitter: 0.5, maxAttempts: 5 })
      assert.deepInclude(yield* policy([{ code: "*", retryable: true }], "DQ_X"), { retryable: true })
    })
  )

  it.effect("refuses to configure a mandatory letter away (R3)", () =>
    Effect.gen(function* () {
      for (const row of [
        { code: "EXT_X", deadLetterOnExhaustion: false },
        { code: "DQ_X", retryable: true, deadLetterOnExhaustion: false },
        { code: "DQ_X", severity: "critical", quarantine: false },
        { code: "ORCH_STATE_MACHINE_INVARIANT_BROKEN", quarantine: false },
        { code: "*", severity: "critical", quarantine: false }
      ] as const) {
        const error = yield* Effect.flip(compile([row]))
        assert.strictEqual(error._tag, "ORCH_DEAD_LETTER_REQUIRED")
        assert.include(error.message, row.code)
      }
      assert.isFalse((yield* policy([{ code: "DQ_X", quarantine: false }], "DQ_X")).quarantine)
    })
  )

  it.effect("refuses a row that is none, and names the place", () =>
    Effect.gen(function* () {
      const wrong: ReadonlyArray<readonly [row: CatalogueRow, place: string]> = [
        [{ code: "EXT_X", jitter: 7 }, 'codes["EXT_X"]["jitter"]'],
        [{ code: "ext_x" }, 'codes["ext_x"]["code"]'],
        [{ code: "FOO_*" }, 'codes["FOO_*"]["code"]'],
        [{ code: "EXT_X", exitCode: 0 }, 'codes["EXT_X"]["exitCode"]'],
        [Object.assign({ code: "EXT_X" }, { retriable: true }), 'codes["EXT_X"]["retriable"]']
      ]
      for (const [row, place] of wrong) {
        const error = yield* Effect.flip(compile([row]))
        assert.strictEqual(error._tag, "ORCH_CONFIG_INVALID")
        assert.include(error.message, place)
      }
    })
  )

  it.effect("keeps answering right when agents invent more codes than it remembers", () =>
    Effect.gen(function* () {
      const catalogue = yield* compile()
      for (let i = 0; i < 3_000; i++) assert.strictEqual(lookup(catalogue, `EXT_${i}`).policy.code, "EXT_*")
      assert.strictEqual(lookup(catalogue, "EXT_2999").policy.code, "EXT_*")
      assert.strictEqual(lookup(catalogue, "DQ_NEW").policy.code, "DQ_*")
    })
  )

  it.effect("prints each row under the seed's names, with an exit code that the table explains", () =>
    Effect.gen(function* () {
      const known = new Set(exitCodes.map(({ exitCode }) => exitCode))
      for (const entry of (yield* compile()).entries) {
        const json = yield* Schema.encodeEffect(CodePolicy)(entry.policy)
        assert.hasAllKeys(json, [
          "code",
          "category",
          "severity",
          "retryable",
          "max_attempts",
          "backoff_base_seconds",
          "backoff_multiplier",
          "max_backoff_seconds",
          "jitter",
          "dead_letter_on_exhaustion",
          "quarantine",
          "replay_eligible",
          "exit_code",
          "hint"
        ])
        assert.isTrue(known.has(entry.policy.exitCode), entry.policy.code)
      }
      assert.strictEqual(known.size, exitCodes.length)
    })
  )
})
