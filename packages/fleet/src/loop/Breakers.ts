/**
 * The storm breakers between the store and the turn: what the store keeps of them is read when it has changed, and again before a probe is
 * sent; what the turn has made of them is written with its commit.
 */
import { Breaker, type BreakerRow, type Draft, isoInstant, type StoreService } from "@muster/core"
import { Effect } from "effect"

const pageSize = 500

/** A row's state; one of a later version counts as open, which starts nothing. */
const stateOf = (word: string): Breaker.BreakerState =>
  Breaker.breakerStates.find((state) => state === word) ?? "open"

const recordOf = (row: BreakerRow): Breaker.BreakerRecord => ({
  state: stateOf(row.state),
  openedAt: row.opened_at,
  probeAt: row.probe_at,
  failures: row.failures,
  at: row.at
})

/** What the store says of them now, over what this host knows. */
export const hear = Effect.fnUntraced(function* (
  store: StoreService,
  known: ReadonlyMap<string, Breaker.Breaker>
) {
  const heard = new Map(known)
  for (let after = 0; ;) {
    const page = yield* store.records({ kind: "breakers", job: null, after, limit: pageSize })
    for (const { row } of page) {
      const before = heard.get(row.workflow_type) ?? Breaker.untripped
      heard.set(row.workflow_type, Breaker.heard(before, recordOf(row)))
    }
    const last = page.at(-1)
    if (last === undefined || page.length < pageSize) return heard
    after = last.cursor
  }
})

/** The rows of those that have changed in this turn. */
export const rowsOf = ({ breakers, tripped }: Draft.Draft): ReadonlyArray<BreakerRow> =>
  Array.from(tripped).flatMap((workflow_type) => {
    const breaker = breakers.get(workflow_type)
    if (breaker === undefined) return []
    const { at, failures, openedAt, probeAt, state } = breaker
    return [{ workflow_type, state, opened_at: openedAt, probe_at: probeAt, failures, at }]
  })

/** Says aloud what has become of a breaker: who watches the fleet sees why nothing starts. */
export const tell = ({ failures, probe_at, state, workflow_type }: BreakerRow): Effect.Effect<void> =>
  state === "open"
    ? Effect.logWarning(
        `too many attempts of ${workflow_type} fail (${failures}): its jobs wait, and burn nothing; one is tried from ${isoInstant(probe_at ?? 0)} on`
      )
    : state === "half_open"
      ? Effect.logInfo(`one job of ${workflow_type} is tried: its end decides about the others`)
      : Effect.logInfo(`the jobs of ${workflow_type} go on`)

/** Forgets the probes that another host has taken as its own jobs in the meantime. */
export const withoutProbes = (
  breakers: ReadonlyMap<string, Breaker.Breaker>,
  lost: ReadonlySet<number>
): ReadonlyMap<string, Breaker.Breaker> =>
  lost.size === 0
    ? breakers
    : new Map(
        Array.from(breakers, ([workflow, breaker]) => [
          workflow,
          breaker.probe !== null && lost.has(breaker.probe) ? { ...breaker, probe: null } : breaker
        ])
      )

/** A breaker that holds jobs back, for snapshots and banks. */
export interface OpenBreaker {
  readonly workflowType: string
  readonly state: "open" | "half_open"
  /** Epoch ms since when its jobs wait. */
  readonly openedAt: number
  /** Epoch ms. Open: when a probe may start. Half-open: when its probe counts as sound, if it still works. */
  readonly probeAt: number
  /** The failures that opened it, and the probes that have failed since. */
  readonly failures: number
}

/** Those that hold jobs back, by workflow. */
export const openOf = (breakers: ReadonlyMap<string, Breaker.Breaker>): ReadonlyArray<OpenBreaker> =>
  Array.from(breakers).flatMap(([workflowType, { failures, openedAt, probeAt, state }]) =>
    state === "closed" || openedAt === null || probeAt === null
      ? []
      : [{ workflowType, state, openedAt, probeAt, failures }]
  )
