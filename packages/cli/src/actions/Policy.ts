/**
 * `muster policy`: the error catalogue as a table, or what it answers for one code.
 */
import { ErrorCatalogue, isCode } from "@muster/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { configuredCatalogue } from "../config/ConfiguredCatalogue.ts"
import { delaysSeconds, policyJson } from "../json/PolicyJson.ts"
import { answer, answerAll, type Page } from "../output/Answer.ts"
import { brief } from "../output/Duration.ts"
import { type Column, facts, table } from "../output/Table.ts"
import { UsageError } from "../UsageError.ts"

type Entry = ErrorCatalogue.Entry

const delays = (entry: Entry): string => {
  const waits = delaysSeconds(entry).map((seconds) => brief(seconds * 1_000))
  return waits.length === 0 ? "" : waits.join(" ")
}

const letter = ({ policy }: Entry): string =>
  policy.retryable ? "at the end" : policy.quarantine || policy.severity === "critical" ? "at once" : "none"

const columns: ReadonlyArray<Column<Entry>> = [
  { title: "code", value: ({ policy }) => policy.code },
  {
    title: "tries",
    align: "right",
    value: ({ policy }) => (policy.retryable ? String(policy.maxAttempts) : "1")
  },
  { title: "waits", value: delays, shrinkTo: 11 },
  { title: "letter", value: letter },
  { title: "exit", align: "right", value: ({ policy }) => String(policy.exitCode) }
]

const one = (entry: Entry, asked: string, page: Page): ReadonlyArray<string> => {
  const { policy } = entry
  const spread = policy.jitter === 0 ? "" : ` (± ${Math.round(policy.jitter * 100)} %)`
  return facts(
    [
      ["code", page.style.title(asked)],
      ["answered by", policy.code === asked ? "its own row" : `the row ${policy.code}`],
      ["category", policy.category ?? "none"],
      ["severity", policy.severity],
      ["retried", policy.retryable ? `yes, ${policy.maxAttempts} tries in all` : "no"],
      ...(policy.retryable ? [["waits", `${delays(entry)}${spread}`] as const] : []),
      ["dead letter", letter(entry)],
      ["replay", policy.replayEligible ? "eligible" : "only after dlq allow"],
      ["exit code", String(policy.exitCode)],
      ["what to do", policy.hint]
    ],
    page
  )
}

export const policy = Effect.fnUntraced(function* ({ code }: { readonly code: Option.Option<string> }) {
  const catalogue = yield* configuredCatalogue
  if (Option.isNone(code)) {
    return yield* answerAll(
      catalogue.entries.map((entry) => policyJson(entry, null)),
      (page) => [
        ...table(columns, catalogue.entries, page),
        "",
        page.style.faint("The longest row that matches a code answers for it: muster policy CODE")
      ]
    )
  }
  const asked = code.value
  if (!isCode(asked) && !catalogue.entries.some(({ policy: row }) => row.code === asked))
    return yield* new UsageError({
      message: `${JSON.stringify(asked)} is no error code.`,
      hint: "A code is a category and capitals, as in EXT_RATE_LIMITED: muster policy lists the rows"
    })
  const entry = catalogue.lookup(asked)
  return yield* answer(policyJson(entry, asked), (page) => one(entry, asked, page))
})
