/**
 * `muster audit`: the whole store against its rules.
 */
import { type AuditRule, auditRules, auditStore, exit, type Finding, type StoreAudited } from "@muster/core"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import { configuredCatalogue } from "../config/ConfiguredCatalogue.ts"
import { Ended } from "../Ended.ts"
import { JsonFlag } from "../GlobalFlags.ts"
import { findingsForPeople, rowLimit } from "../input/Limit.ts"
import { auditSummaryJson, findingJson } from "../json/AuditJson.ts"
import { answer, answerAll, type Page } from "../output/Answer.ts"
import { type Column, table } from "../output/Table.ts"
import { wrap } from "../output/Text.ts"
import { whereToLook } from "../output/WhereToLook.ts"
import * as StoreFile from "../store/StoreFile.ts"

interface Input {
  readonly limit: Option.Option<number>
}

const grouped = new Intl.NumberFormat("en")

const counted = (count: number, one: string, many = `${one}s`): string =>
  `${grouped.format(count)} ${count === 1 ? one : many}`

const columns: ReadonlyArray<Column<Finding>> = [
  {
    title: "",
    value: ({ severity }) => severity,
    paint: (style, { severity }, text) => (severity === "fault" ? style.bad(text) : style.waiting(text))
  },
  { title: "what", value: ({ subject }) => subject },
  { title: "seen", value: ({ detail }) => detail, shrinkTo: 20 },
  { title: "look", value: whereToLook, paint: (style, _, text) => style.faint(text) }
]

const section = (rule: AuditRule, findings: ReadonlyArray<Finding>, page: Page): ReadonlyArray<string> => {
  const mine = findings.filter((finding) => finding.rule === rule.id)
  if (mine.length === 0) return []
  return [
    page.style.title(rule.id),
    ...wrap(`${rule.sentence} (${rule.source})`, page.width - 2).map((line) => `  ${page.style.faint(line)}`),
    ...table(columns, mine, { ...page, width: page.width - 2 })
      .slice(1)
      .map((line) => `  ${line}`),
    ""
  ]
}

const lines = (
  audited: StoreAudited,
  findings: ReadonlyArray<Finding>,
  page: Page
): ReadonlyArray<string> => {
  const { events, faults, jobs, notes, records, unjudged } = audited
  const left = faults + notes - findings.length
  const found = [
    ...(faults === 0 ? [] : [page.style.bad(counted(faults, "fault"))]),
    ...(notes === 0 ? [] : [page.style.waiting(counted(notes, "note"))])
  ]
  const verdict = found.length === 0 ? page.style.good("Clean") : found.join(" and ")
  return [
    ...auditRules.flatMap((rule) => section(rule, findings, page)),
    ...unjudged.map((what) => `Not judged: ${what}.`),
    ...(left === 0 ? [] : [`${counted(left, "finding")} more: --limit N.`]),
    `${verdict}: ${counted(jobs, "job")}, ${counted(events, "event")} and ${counted(records, "record")} were read.`
  ]
}

const audited = Effect.fnUntraced(function* (input: Input) {
  const limit = (yield* rowLimit(input.limit, findingsForPeople)) ?? Number.POSITIVE_INFINITY
  const isJson = yield* JsonFlag
  const kept: Array<Finding> = []
  let shown = 0
  const result = yield* auditStore({
    catalogue: yield* configuredCatalogue,
    report: Effect.fnUntraced(function* (finding: Finding) {
      if (shown >= limit) return
      shown++
      if (isJson) yield* answerAll([findingJson(finding)], () => [])
      else kept.push(finding)
    })
  })
  yield* answer(auditSummaryJson(result, shown), (page) => lines(result, kept, page))
  if (result.faults > 0) return yield* new Ended({ exitCode: exit.findings })
  if (result.unjudged.length > 0) return yield* new Ended({ exitCode: exit.retryLater })
  return undefined
})

export const audit = (input: Input) => Effect.provide(audited(input), StoreFile.layer("read"))
