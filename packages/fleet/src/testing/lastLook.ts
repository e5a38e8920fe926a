/**
 * What must be true when everything has come to its end, and once more when all hosts have stopped.
 */
import { auditStore, type Catalogue, type JobRow, Store, type StoreDriver } from "@muster/core"
import { Clock, Effect } from "effect"
import { epochOf } from "./Outside.ts"
import type { SimulatedFleet } from "./SimulatedFleet.ts"

/** Lets the audit read the store, while the world stands still. */
export const audit = Effect.fnUntraced(function* (
  fleet: SimulatedFleet,
  driver: StoreDriver,
  catalogue: Catalogue
) {
  const { verdict } = fleet
  const report = ({
    detail,
    rule,
    severity,
    subject
  }: {
    rule: string
    severity: string
    subject: string
    detail: string
  }) =>
    Effect.sync(() => {
      if (severity === "fault") verdict.blame("audit finds", `${rule}: ${subject}: ${detail}`)
    })
  const { unjudged } = yield* auditStore({ catalogue, report }).pipe(
    Effect.provide(Store.layerFromDriver(Effect.succeed(driver)), { local: true }),
    Effect.provideService(Clock.Clock, fleet.operator.process.clock),
    Effect.orDie
  )
  for (const what of unjudged) verdict.blame("audit finds", `while nothing moves: ${what}`)
})

const pageSize = 500

/** The store's rows are those that were committed. */
export const compare = Effect.fnUntraced(function* (
  { ledger, verdict }: SimulatedFleet,
  driver: StoreDriver
) {
  const seen = new Set<number>()
  for (let after = 0; ;) {
    const { rows } = yield* driver.jobs({ by: "page", state: null, workflow: null, after, limit: pageSize })
    const bodies = yield* driver.jobs({ by: "seq", seqs: rows.map(({ seq }) => seq), bodies: true })
    const results = new Map(bodies.rows.map(({ result, seq }) => [seq, result]))
    for (const row of rows) {
      seen.add(row.seq)
      const kept = ledger.entries.get(row.seq)
      if (kept === undefined) {
        verdict.blame("store differs", `job ${row.seq} was never inserted`)
        continue
      }
      // the columns of the ledger's row; what a driver adds is its own
      for (const column of Object.keys(kept.row) as ReadonlyArray<keyof JobRow>)
        if (row[column] !== kept.row[column])
          verdict.blame(
            "store differs",
            `job ${row.seq}: ${column} is ${row[column]}, committed was ${kept.row[column]}`
          )
      if ((results.get(row.seq) ?? null) !== kept.result)
        verdict.blame("store differs", `job ${row.seq}: its result is not the one that was committed`)
    }
    const last = rows.at(-1)
    if (last === undefined) break
    after = last.seq
  }
  for (const seq of ledger.entries.keys())
    if (!seen.has(seq)) verdict.blame("job lost", `job ${seq} is not in the store`)
}, Effect.orDie)

/** Whether everything has come to its end, save what is meant to stay; in words what has not. */
export const pending = (fleet: SimulatedFleet): ReadonlyArray<string> => [
  ...fleet.ledger.unfinished(),
  ...Array.from(fleet.ledger.wishes).flatMap(([intent, { draft, outcome }]) =>
    outcome === null && draft.kind !== "scale" ? [`${draft.kind} ${intent} is open`] : []
  ),
  ...[fleet.operator, ...fleet.up()].flatMap((program) =>
    program.unanswered().map((what) => `${program.process.name} owes an answer: ${what}`)
  )
]

/** What hosts have promised. */
export const checkEnd = (fleet: SimulatedFleet): void => {
  const { ledger, verdict } = fleet
  for (const [intent, { draft, outcome }] of ledger.wishes) {
    const state = draft.job === null ? undefined : ledger.entries.get(draft.job)?.row.state
    if (draft.kind === "cancel" && outcome === "cancelled" && state !== "CANCELLED")
      verdict.blame("wrong answer", `cancel ${intent} is settled, and job ${draft.job} is ${state}`)
  }
}

/** Nothing of the hosts is left, and nobody waits any more. */
export const checkLeft = (fleet: SimulatedFleet): void => {
  const { hosts, ledger, outside, verdict } = fleet
  for (const host of hosts) {
    if (host.state === "crashed") continue
    if (host.state !== "stopped")
      verdict.blame("left open", `${host.process.name} doesn't stop: it is ${host.state}`)
    else if (host.process.sleeping > 0 || host.process.hasTask())
      verdict.blame(
        "left open",
        `${host.process.name} has stopped, and ${host.process.sleeping} of its fibers sleep`
      )
    if ((outside.held.get(host.process.name) ?? 0) !== 0)
      verdict.blame("left open", `${host.process.name} has stopped, and calls of plugins are open`)
    for (const what of host.unanswered()) verdict.blame("unanswered", `${host.process.name}: ${what}`)
  }
  // What a host has left behind that nobody has missed yet is killed when somebody does.
  for (const { alive, incarnation, seq, token } of outside.lives)
    if (alive && !ledger.living.has(epochOf(token)))
      verdict.blame("left open", `job ${seq} life ${incarnation} is still alive`)
  for (const { maker, ref, seq } of outside.places.values()) {
    const entry = ledger.entries.get(seq)
    const named = entry?.row.workspace === ref
    // Its maker may have died before anybody could write of it, and a hung life keeps its place to itself (R5).
    const excused = entry?.places.has(ref) !== true || entry.hung.size > 0
    if (!named && !excused) verdict.blame("left open", `${ref} of ${maker} still stands, and nothing says so`)
  }
}
