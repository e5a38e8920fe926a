/**
 * The snapshot of a reflection: one bounded look at the store, the host and the documents that somebody refers to.
 */
import {
  type Catalogue,
  type FacetDeclaration,
  type FailureGlance,
  FailureTrail,
  type FleetGlance,
  type HostRow,
  type PointerGlance,
  Pointers,
  Store,
  usedSlots
} from "@muster/core"
import { Clock, Effect } from "effect"
import { Documents } from "../adapters/documents/Documents.ts"
import { instant } from "../Instant.ts"
import * as Breakers from "../loop/Breakers.ts"
import { allHosts, patiently } from "../loop/Host.ts"
import type { Trouble } from "../loop/Trouble.ts"
import type { Turn } from "../loop/Turn.ts"

export interface GlanceOptions {
  readonly host: HostRow
  readonly turn: Turn
  readonly trouble: Trouble
  readonly catalogue: Catalogue
  /** The workflows that this host serves. */
  readonly workflows: ReadonlyArray<string>
  readonly facets: ReadonlyArray<FacetDeclaration>
}

/** What one look reads at most: events, those of a page, hosts, references. */
const most = { events: 2_000, page: 500, hosts: 100, pointers: 200 }

/** Who refers to which document. */
const referencesOf = ({
  catalogue,
  facets
}: GlanceOptions): ReadonlyArray<Omit<PointerGlance, "resolution">> =>
  [
    ...facets.map(({ key, policy: { anchor, path } }) => ({ by: `facet ${key}`, path, anchor })),
    ...catalogue.entries.flatMap(({ policy }) =>
      Pointers.pointersIn(policy.hint).map(({ anchor, path }) => ({
        by: `code ${policy.code}`,
        path,
        anchor
      }))
    )
  ].slice(0, most.pointers)

export const make = Effect.fnUntraced(function* (options: GlanceOptions) {
  const { host, trouble, turn, workflows } = options
  const store = yield* Store
  const documents = yield* Documents
  const clock = yield* Clock.Clock
  const references = referencesOf(options)
  let failures: ReadonlyArray<FailureGlance> = []
  let read = 0

  /** What has failed since the last look. Of a flood the newest events are read. */
  const follow = Effect.fnUntraced(function* (sequence: number, now: number) {
    let after = Math.max(read, sequence - most.events)
    while (after < sequence) {
      const page = yield* patiently(store.events({ job: null, after, limit: most.page, order: "ascending" }))
      failures = FailureTrail.extended(failures, page, now)
      after = page.at(-1)?.sequence ?? sequence
    }
    read = after
    failures = FailureTrail.extended(failures, [], now)
  })

  /** The next job that this host would start; those that a breaker holds back don't wait for a slot. */
  const waiting = Effect.fnUntraced(function* (now: number) {
    const held = new Set(Breakers.openOf(turn.state.breakers).map(({ workflowType }) => workflowType))
    const names = workflows.filter((name) => !held.has(name))
    if (names.length === 0) return null
    const { jobs } = yield* patiently(store.ready(names, now, 1))
    const job = jobs[0]?.job
    return job === undefined ? null : { jobId: job.jobId, workflowType: job.workflowType, dueAt: job.runAt }
  })

  /** When each host has banked last. */
  const banks = Effect.gen(function* () {
    const bankedAt = new Map<number, number>()
    for (let after = 0; ;) {
      const page = yield* patiently(store.records({ kind: "banks", job: null, after, limit: most.page }))
      for (const { row } of page) bankedAt.set(row.host, row.at)
      const last = page.at(-1)
      if (last === undefined || page.length < most.page) return bankedAt
      after = last.cursor
    }
  })

  const hosts = Effect.gen(function* () {
    const bankedAt = yield* banks
    return (yield* allHosts(store))
      .filter(({ state }) => state === "live")
      .slice(-most.hosts)
      .map((row) => ({
        host: row.host,
        enlistedAt: row.enlisted_at,
        beatAt: row.beat_at,
        bankedAt: bankedAt.get(row.host) ?? null
      }))
  })

  const look = Effect.gen(function* () {
    const now = instant(clock)
    const tally = yield* patiently(store.tally(now))
    yield* follow(tally.sequence, now)
    const resolutions = yield* documents.resolve(references)
    const glance: FleetGlance = {
      now,
      host: host.host,
      slots: turn.slots(),
      usedSlots: usedSlots(turn.state.owned),
      freeSlots: trouble.now() === null ? turn.vacancy(turn.state.owned, now).free : 0,
      counts: tally.jobs,
      letters: tally.letters,
      waiting: yield* waiting(now),
      failures,
      hosts: yield* hosts,
      pointers: references.map(({ anchor, by, path }, index) => ({
        by,
        path,
        anchor,
        resolution: resolutions[index] ?? "unreadable"
      }))
    }
    return glance
  })
  return { look }
})
