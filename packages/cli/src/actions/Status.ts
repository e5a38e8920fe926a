/**
 * `muster status`: the fleet at a glance, from kept counts alone.
 */
import { defaults, isoInstant, Store } from "@muster/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { parsed } from "../json/Parsed.ts"
import { type Counts, countsOf, hostJson, type StatusJson, total } from "../json/StatusJson.ts"
import { answer, type Page } from "../output/Answer.ts"
import { brief, relative } from "../output/Duration.ts"
import { paintState } from "../output/Style.ts"
import { type Column, facts, table } from "../output/Table.ts"
import { openHosts } from "../store/Hosts.ts"
import { allRows } from "../store/Pages.ts"
import * as StoreFile from "../store/StoreFile.ts"

const latestBank = Effect.gen(function* () {
  const store = yield* Store
  const banks = yield* allRows(
    (after, limit) => store.records({ kind: "banks", job: null, after, limit }),
    ({ cursor }) => cursor
  )
  const [latest] = banks.map(({ row }) => row).toSorted((a, b) => b.at - a.at)
  return latest === undefined
    ? null
    : { host: latest.host, banked_at: isoInstant(latest.at), bank: parsed(latest.bank) }
})

const read = Effect.gen(function* () {
  const store = yield* Store
  const now = yield* Clock.currentTimeMillis
  const tally = yield* store.tally(now)
  const status: StatusJson = {
    store: { id: store.id, path: store.name },
    ...countsOf(tally.jobs),
    oldest_ready_at: tally.oldest_ready === null ? null : isoInstant(tally.oldest_ready),
    dead_letters: tally.letters,
    events: tally.sequence,
    hosts: (yield* openHosts).map((host) => hostJson(host, now, defaults.leaseMillis)),
    bank: yield* latestBank
  }
  return status
})

interface Line {
  readonly name: string
  readonly jobs: Counts
}

const headings = [
  ["PENDING", "pending"],
  ["VALIDATING", "validating"],
  ["PROCESSING", "working"],
  ["RETRY_SCHEDULED", "retrying"],
  ["COMPLETED", "completed"],
  ["FAILED", "failed"],
  ["DEAD_LETTERED", "dead"],
  ["CANCELLED", "cancelled"]
] as const

/** States that a table shows even when no job is in them. */
const always = new Set<string>(["PENDING", "PROCESSING", "COMPLETED"])

const grouped = new Intl.NumberFormat("en")

const columnsFor = (jobs: Counts): ReadonlyArray<Column<Line>> => [
  { title: "workflow", value: ({ name }) => name, shrinkTo: 8 },
  ...headings
    .filter(([state]) => jobs[state] > 0 || always.has(state))
    .map(([state, title]): Column<Line> => ({
      title,
      align: "right",
      value: (line) => grouped.format(line.jobs[state]),
      paint: (style, line, text) =>
        line.jobs[state] === 0 ? style.faint(text) : paintState(style, state, text)
    })),
  { title: "total", align: "right", value: (line) => grouped.format(total(line.jobs)) }
]

const hostsLine = ({ hosts }: StatusJson, now: number): string => {
  const beating = hosts.filter((host) => host.beating)
  const silent = hosts.filter((host) => !host.beating)
  const said = (host: (typeof hosts)[number]) =>
    `host ${host.host} (beat ${relative(Date.parse(host.beat_at), now)})`
  const parts = [
    beating.length === 0 ? "none is running" : `${beating.length} running: ${beating.map(said).join(", ")}`,
    silent.length === 0 ? "" : `${silent.length} silent: ${silent.map(said).join(", ")}`
  ]
  return parts.filter((part) => part !== "").join("; ")
}

const lines = (status: StatusJson, page: Page): ReadonlyArray<string> => {
  const waits =
    status.oldest_ready_at === null
      ? "no job is due"
      : `the oldest due job waits for ${brief(page.now - Date.parse(status.oldest_ready_at))}`
  const bank =
    status.bank === null
      ? "never"
      : `${relative(Date.parse(status.bank.banked_at), page.now)} by host ${status.bank.host}`
  const letters =
    status.dead_letters === 0 ? "none" : `${grouped.format(status.dead_letters)} (muster dlq list)`
  const head = facts(
    [
      ["store", `${status.store.path} (${status.store.id})`],
      ["hosts", hostsLine(status, page.now)],
      ["ready", waits],
      ["letters", letters],
      ["events", grouped.format(status.events)],
      ["banked", bank]
    ],
    page
  )
  if (status.workflows.length === 0) return [...head, "", "No jobs yet: muster submit, or muster run."]
  const rows = status.workflows.map(({ jobs, workflow_type }) => ({ name: workflow_type, jobs }))
  const sum = rows.length > 1 ? [{ name: "all", jobs: status.jobs }] : []
  return [...head, "", ...table(columnsFor(status.jobs), [...rows, ...sum], page)]
}

export const status = Effect.flatMap(read, (document) =>
  answer(document, (page) => lines(document, page))
).pipe(Effect.provide(StoreFile.layer("existing")))
