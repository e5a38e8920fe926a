/**
 * `muster status`: the fleet at a glance, from kept counts alone.
 */
import { defaults, Intent, isoInstant, Store } from "@muster/core"
import { Standing } from "@muster/fleet"
import type { ControlClient } from "@muster/fleet/control"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { liveHosts, orStore } from "../hosts/LiveHosts.ts"
import { breakerJson } from "../json/BreakerJson.ts"
import { reflectionJson } from "../json/FacetJson.ts"
import { parsed } from "../json/Parsed.ts"
import {
  type Counts,
  countsOf,
  type HostJson,
  hostJson,
  type StatusJson,
  total,
  unservedOf
} from "../json/StatusJson.ts"
import {
  bankedScarcity,
  bankedSlots,
  bankedWorkflows,
  modeJson,
  type OpenWishJson,
  openWishJson
} from "../json/WishJson.ts"
import { answer, type Page } from "../output/Answer.ts"
import { breakerLine } from "../output/BreakerLine.ts"
import { brief, relative } from "../output/Duration.ts"
import { paintState } from "../output/Style.ts"
import { type Column, facts, table } from "../output/Table.ts"
import { oneLine } from "../output/Text.ts"
import { openOf } from "../store/Breakers.ts"
import { latestOfEach, reflectionsSince } from "../store/Reflections.ts"
import * as StoreFile from "../store/StoreFile.ts"

/** Longer than a host may take to answer what it has in memory and in its store, in milliseconds. */
const patienceMillis = 1_000

/** Reflections are shown for so long, in milliseconds. */
const recentMillis = 86_400_000

/** How the fleet stands: as a host that answers says, or as the store does. */
const standing = Effect.fnUntraced(function* (hosts: ReadonlyArray<ControlClient.LiveHost>, now: number) {
  const store = yield* Store
  const [host = null] = hosts
  return yield* orStore(
    host,
    (client) =>
      client
        .Status()
        .pipe(
          Effect.map(({ snapshot, ...rows }): Standing.StandingRows => ({ ...rows, tally: snapshot.tally }))
        ),
    Standing.read(store, now),
    patienceMillis
  )
})

/** The document, from kept counts alone. */
export const readStatus = Effect.gen(function* () {
  const store = yield* Store
  const now = yield* Clock.currentTimeMillis
  const live = yield* liveHosts
  const { answer: rows, source } = yield* standing(live, now)
  const { banks, breakers, hosts, open, tally } = rows
  const [latest] = banks.toSorted((a, b) => b.at - a.at)
  const counts = countsOf(tally.jobs)
  const seen = hosts.map(({ row, usedSlots }) => {
    const bank = banks.find(({ host }) => host === row.host)?.bank ?? null
    const host = hostJson(row, {
      now,
      leaseMillis: defaults.leaseMillis,
      control: Intent.controlOf(open, row.host),
      bankedSlots: bank === null ? null : bankedSlots(bank),
      scarce: bank === null ? null : bankedScarcity(bank),
      usedSlots,
      answers: live.some((one) => one.host === row.host)
    })
    return { host, serves: bank === null ? null : bankedWorkflows(bank) }
  })
  const status: StatusJson = {
    store: { id: store.id, path: store.name },
    mode: modeJson(open),
    pauses: Intent.pausesOf(open).map(openWishJson),
    drains: Intent.drainsOf(open).map(openWishJson),
    breakers: openOf(breakers).map(breakerJson),
    reflections: latestOfEach(yield* reflectionsSince(now - recentMillis)).map(reflectionJson),
    ...counts,
    unserved: unservedOf(
      counts.workflows,
      seen.filter(({ host }) => host.beating).map(({ serves }) => serves)
    ),
    oldest_ready_at: tally.oldest_ready === null ? null : isoInstant(tally.oldest_ready),
    dead_letters: tally.letters,
    parked: tally.parked,
    undeliverable_messages: tally.messages,
    events: tally.sequence,
    hosts: seen.map(({ host }) => host),
    bank:
      latest === undefined
        ? null
        : { host: latest.host, banked_at: isoInstant(latest.at), bank: parsed(latest.bank) },
    source
  }
  return status
}).pipe(Effect.scoped)

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

const hostLine = (host: HostJson, now: number): string => {
  const slots = host.slots === null ? "" : `${host.used_slots} of ${host.slots} slots, `
  const mode = host.mode === "draining" ? "draining, " : ""
  const scarce = host.scarce === null ? "" : `${host.scarce} is scarce, `
  const silence = host.beating ? ", doesn't answer" : ""
  const answers = host.answers ? ", answers" : silence
  return `host ${host.host} (${slots}${mode}${scarce}beat ${relative(Date.parse(host.beat_at), now)}${answers})`
}

const hostsLine = ({ hosts }: StatusJson, now: number): string => {
  const beating = hosts.filter((host) => host.beating)
  const silent = hosts.filter((host) => !host.beating)
  const said = (some: ReadonlyArray<HostJson>) => some.map((host) => hostLine(host, now)).join(", ")
  const parts = [
    beating.length === 0 ? "none is running" : `${beating.length} running: ${said(beating)}`,
    silent.length === 0 ? "" : `${silent.length} silent: ${said(silent)}`
  ]
  return parts.filter((part) => part !== "").join("; ")
}

/** Who wants it, since when, and why. */
const wishLine = (wish: OpenWishJson, now: number): string =>
  `by ${wish.actor} ${relative(Date.parse(wish.requested_at), now)}${wish.reason === null ? "" : `: ${wish.reason}`}`

/** What keeps hosts from taking new jobs; empty while nothing does. */
const modeLines = (status: StatusJson, page: Page): ReadonlyArray<readonly [string, string]> => [
  ...status.pauses.map(
    (pause) => ["paused", page.style.waiting(oneLine(wishLine(pause, page.now)))] as const
  ),
  ...status.drains.map(
    (drain) =>
      [
        "draining",
        page.style.waiting(
          oneLine(`${drain.host === null ? "all hosts" : `host ${drain.host}`}, ${wishLine(drain, page.now)}`)
        )
      ] as const
  ),
  ...status.breakers.map(
    (breaker) =>
      [
        "storm",
        page.style.waiting(oneLine(`${breaker.workflow_type} waits: ${breakerLine(breaker, page.now)}`))
      ] as const
  )
]

/** Work that waits for a host that isn't there; said where there are hosts: without any, all work does. */
const unservedLines = (status: StatusJson, page: Page): ReadonlyArray<readonly [string, string]> =>
  status.unserved.length === 0 || !status.hosts.some(({ beating }) => beating)
    ? []
    : [
        [
          "unserved",
          page.style.waiting(
            oneLine(`${status.unserved.join(", ")}: no running host defines it, its jobs wait`)
          )
        ]
      ]

/** What facets have said of late. */
const reflectionLines = (status: StatusJson, page: Page): ReadonlyArray<readonly [string, string]> =>
  status.reflections.map(
    ({ at, facet, sentence, suggestion }) =>
      [
        "reflects",
        page.style.waiting(
          oneLine(
            `${facet} ${relative(Date.parse(at), page.now)}: ${sentence}${suggestion === null ? "" : ` (${suggestion})`}`
          )
        )
      ] as const
  )

/** For people. */
export const statusLines = (status: StatusJson, page: Page): ReadonlyArray<string> => {
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
      ...modeLines(status, page),
      ...unservedLines(status, page),
      ...reflectionLines(status, page),
      ["hosts", hostsLine(status, page.now)],
      ["ready", waits],
      ["letters", letters],
      ...(status.parked === 0
        ? []
        : [
            [
              "parked",
              page.style.waiting(
                `${grouped.format(status.parked)}, until somebody says what became of a step (muster settle JOB)`
              )
            ] as const
          ]),
      ...(status.undeliverable_messages === 0
        ? []
        : [
            [
              "messages",
              `${grouped.format(status.undeliverable_messages)} undeliverable (muster dlq messages)`
            ] as const
          ]),
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

export const status = Effect.flatMap(readStatus, (document) =>
  answer(document, (page) => statusLines(document, page))
).pipe(Effect.provide(StoreFile.layer("read")))
