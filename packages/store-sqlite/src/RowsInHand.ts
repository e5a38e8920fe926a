/**
 * Rows that this connection has read or written, as a commit needs them. They are as they were for as long as no other connection has
 * committed, which SQLite tells exactly (`PRAGMA data_version`); then a turn need not read again what its own peek has just read
 * (measured: a tenth of the turn).
 */
import { Effect } from "effect"
import type { CommitPlan } from "./CommitPlan.ts"
import type { SelectedJob } from "./JobColumns.ts"
import { ask, type Connection } from "./Statements.ts"
import type { TouchedRow } from "./World.ts"

/** A fleet holds its slots' rows and one peek; more than this is forgotten. */
const most = 10_000

/** What a query selects after the columns of a job and its bodies, so that the row may be kept in hand. */
export const handColumns = "s.workflow, s.held, s.last_event, s.ending"

/** Moves with each commit of another connection, and with none of this one's. */
export const dataVersion = (connection: Connection) =>
  Effect.map(
    ask<{ readonly data_version: number }>(connection, `PRAGMA data_version`),
    ([row]) => row?.data_version ?? 0
  )

export class RowsInHand {
  private readonly rows = new Map<number, TouchedRow>()
  private version = -1

  /** Before rows are taken or kept: `version` is `dataVersion` as of before they were read. */
  asOf(version: number): void {
    if (version !== this.version || this.rows.size > most) this.rows.clear()
    this.version = version
  }

  keep(found: ReadonlyArray<SelectedJob>): void {
    for (const row of found) {
      const [workflow, held, lastEvent, ending] = [row[31], row[32], row[33], row[34]]
      if (workflow === undefined || held === undefined || lastEvent === undefined || ending === undefined)
        continue
      this.rows.set(row[0], {
        workflow,
        priority: row[5],
        seq: row[0],
        version: row[1],
        held,
        last_event: lastEvent,
        ending,
        state: row[12],
        owner_host: row[20],
        owner_epoch: row[21],
        superseded_by: row[11]
      })
    }
  }

  get(seq: number): TouchedRow | undefined {
    return this.rows.get(seq)
  }

  /** After a commit: its rows as it has written them. Those that nobody works on are let go, as are those that it wrote aside. */
  written({ noted, superseded, written }: CommitPlan): void {
    for (const { now } of written.values()) {
      if (now.owner_host === null) this.rows.delete(now.seq)
      else this.rows.set(now.seq, now)
    }
    for (const seq of noted.keys()) this.rows.delete(seq)
    for (const { job } of superseded) this.rows.delete(job.seq)
  }

  /** After a write of another kind, or a commit that failed and may yet have happened. */
  letGo(): void {
    this.rows.clear()
  }
}
