/**
 * The error catalogue: from a code to what follows from it, the longest match winning. Built once from data; asked on the
 * hot path.
 */
import { Effect, Order, Result, Schema } from "effect"
import { CatalogueRow, type CodePolicy } from "./CatalogueRow.ts"
import { categories } from "./Code.ts"
import { defaultRows, fallback } from "./DefaultCatalogue.ts"
import { ConfigInvalid } from "./errors/ConfigErrors.ts"
import { DeadLetterRequired } from "./errors/DeadLetterErrors.ts"
import { mismatch } from "./Mismatch.ts"
import { type BackoffPlan, backoffPlan } from "./RetryPolicy.ts"

export type { CatalogueRow } from "./CatalogueRow.ts"

/** What the catalogue answers for a code. */
export interface Entry {
  readonly policy: CodePolicy
  /** The policy's waits without jitter, by attempt_index, in milliseconds. */
  readonly plan: BackoffPlan
}

export interface Catalogue {
  /** Every row with all its answers: `*`, then prefixes and codes in the order of their text. */
  readonly entries: ReadonlyArray<Entry>
  /** The row for any text at all. */
  readonly lookup: (code: string) => Entry
}

/** The row for any text at all: that of the code, else the longest prefix, else `*`. */
export const lookup = (catalogue: Catalogue, code: string): Entry => catalogue.lookup(code)

/** Agents choose their codes freely, so what is remembered must not grow with them. */
const memoLimit = 1_000

/** What a prefix row's codes begin with; null for the row of one code. */
const prefix = (row: string): string | null => (row.endsWith("*") ? row.slice(0, -1) : null)

const matches = (row: string, code: string): boolean => {
  const start = prefix(row)
  return start === null ? row === code : code.startsWith(start)
}

/** Orders rows so that each comes after every row that it may inherit from. */
const byReach = Order.combine(
  Order.mapInput(Order.Number, (row: CatalogueRow) => (prefix(row.code) ?? row.code).length),
  Order.mapInput(Order.Boolean, (row: CatalogueRow) => prefix(row.code) === null)
)

const decodeRow = Schema.decodeUnknownResult(Schema.toType(CatalogueRow), {
  errors: "first",
  onExcessProperty: "error"
})

const checked = (row: CatalogueRow): Result.Result<CatalogueRow, ConfigInvalid> =>
  Result.mapError(decodeRow(row), (error) => {
    const { detail, path } = mismatch(error)
    return new ConfigInvalid({ path: `codes["${row.code}"]${path}`, detail })
  })

/** Refuses what would do without a mandatory letter (seed, "Dead-Letter Contract"; R3). */
const letterKept = (policy: CodePolicy): Result.Result<CodePolicy, DeadLetterRequired> => {
  if (policy.retryable && !policy.deadLetterOnExhaustion) {
    return Result.fail(
      new DeadLetterRequired({
        subject: policy.code,
        detail: "it is retryable, so its budget can be exhausted"
      })
    )
  }
  if (policy.severity === "critical" && !policy.quarantine) {
    return Result.fail(new DeadLetterRequired({ subject: policy.code, detail: "it is critical" }))
  }
  return Result.succeed(policy)
}

const planned = Effect.fnUntraced(function* (policy: CodePolicy) {
  const plan = yield* backoffPlan(policy)
  return { policy, plan }
})

const make = (root: Entry, others: ReadonlyArray<Entry>): Catalogue => {
  const exact = new Map(others.map((entry) => [entry.policy.code, entry]))
  const longestFirst = others
    .filter(({ policy }) => prefix(policy.code) !== null)
    .toSorted((a, b) => b.policy.code.length - a.policy.code.length)
  const memo = new Map<string, Entry>()
  return {
    entries: [root, ...others],
    lookup: (code) => {
      const known = exact.get(code) ?? memo.get(code)
      if (known !== undefined) return known
      const found = longestFirst.find(({ policy }) => matches(policy.code, code)) ?? root
      if (memo.size < memoLimit) memo.set(code, found)
      return found
    }
  }
}

/**
 * The catalogue of the default rows and of `rows`. A row adds to an earlier one of the same code, field by field; what no
 * row of a code says comes from the next shorter row that matches it.
 */
export const compile = Effect.fnUntraced(function* (
  rows: ReadonlyArray<CatalogueRow> = []
): Effect.fn.Return<Catalogue, ConfigInvalid | DeadLetterRequired> {
  const authored = new Map<string, CatalogueRow>()
  for (const row of [...defaultRows, ...rows]) {
    const valid = yield* Effect.fromResult(checked(row))
    authored.set(valid.code, { ...authored.get(valid.code), ...valid })
  }
  const root = yield* Effect.fromResult(letterKept({ ...fallback, ...authored.get("*") }))
  authored.delete("*")
  const policies: Array<CodePolicy> = []
  for (const row of Array.from(authored.values()).toSorted(byReach)) {
    const parent = policies.findLast(({ code }) => matches(code, row.code)) ?? root
    const category = categories.find((candidate) => row.code.startsWith(`${candidate}_`)) ?? null
    policies.push(yield* Effect.fromResult(letterKept({ ...parent, ...row, category })))
  }
  policies.sort(Order.mapInput(Order.String, ({ code }: CodePolicy) => code))
  return make(yield* planned(root), yield* Effect.forEach(policies, planned))
})
