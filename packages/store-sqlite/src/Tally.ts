/**
 * Counts, read where the commits keep them.
 */
import type { TallyRows } from "@muster/core"
import { Effect } from "effect"
import { oldestReady } from "./Peek.ts"
import { ask, type Connection } from "./Statements.ts"
import { jobStates } from "./Words.ts"

interface Counted {
  readonly workflow: number
  readonly name: string
  readonly state: number
  readonly count: number
}

/** The longest wait of rows that are due and not promoted yet. */
const oldestLate = `SELECT min((SELECT s.run_at FROM job_state s INDEXED BY job_later
    WHERE s.workflow = w.workflow AND s.queue = 1 ORDER BY s.run_at LIMIT 1)) AS due FROM workflow w`

export const tally = Effect.fnUntraced(function* (connection: Connection, now: number) {
  const counted = yield* ask<Counted>(
    connection,
    `SELECT t.workflow, w.name, t.state, t.count FROM tally t JOIN workflow w ON w.workflow = t.workflow WHERE t.count > 0`
  )
  const [store] = yield* ask<{
    readonly last_event: number
    readonly letters: number
    readonly messages: number
    readonly parked: number
    readonly bytes: number
  }>(
    connection,
    `SELECT last_event, letters, messages,
      (SELECT count(*) FROM job_state INDEXED BY job_parked WHERE hold IS NOT NULL) AS parked,
      (p.page_count - f.freelist_count) * s.page_size AS bytes
    FROM store, pragma_page_count p, pragma_freelist_count f, pragma_page_size s`
  )
  const waiting = [yield* ask<{ readonly due: number | null }>(connection, oldestLate)]
  for (const name of new Set(counted.map((row) => row.name)))
    waiting.push(yield* ask<{ readonly due: number | null }>(connection, oldestReady, [name]))
  const due = waiting.flat().flatMap((row) => (row.due !== null && row.due <= now ? [row.due] : []))
  const answer: TallyRows = {
    jobs: counted.map(({ count, name, state }) => ({
      workflow_type: name,
      state: jobStates.word(state) ?? "",
      count
    })),
    oldest_ready: due.length === 0 ? null : due.reduce((a, b) => Math.min(a, b)),
    sequence: store?.last_event ?? 0,
    letters: store?.letters ?? 0,
    parked: store?.parked ?? 0,
    messages: store?.messages ?? 0,
    bytes: store?.bytes ?? null
  }
  return answer
})
