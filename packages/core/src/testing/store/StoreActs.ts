/**
 * What the store's tests do again and again: submit, enlist, claim, finish, look at everything, and expect a refusal.
 */
import { assert } from "@effect/vitest"
import { Effect, Result } from "effect"
import type {
  ChangeRow,
  CommitRows,
  CommittedRows,
  InsertRow,
  RecordRow,
  RecordsQuery,
  StoreDriver
} from "../../ports/StoreDriver.ts"
import type { EventRow, HostRow, JobRow, JobStateRow, JobWithBodiesRow } from "../../ports/StoreRows.ts"
import { changeRow, eventRow, letterRow, moveEvent, unitOf } from "./StoreRowsFixture.ts"

/** Commits without a fence, as a submitter does. */
export const write = (driver: StoreDriver, parts: Partial<CommitRows>) => driver.commit(unitOf(parts))

/** Submits the jobs in one unit and answers their numbers. */
export const submit = (driver: StoreDriver, ...inserts: ReadonlyArray<InsertRow>) =>
  Effect.map(write(driver, { inserts }), ({ inserted }) => inserted.map(({ seq }) => seq))

/** The rows with these numbers, in this order. */
export const rowsOf = Effect.fnUntraced(function* (driver: StoreDriver, seqs: ReadonlyArray<number>) {
  const { rows } = yield* driver.jobs({ by: "seq", seqs, bodies: true })
  const found = new Map(rows.map((row) => [row.seq, row]))
  return seqs.map((seq) => {
    const row = found.get(seq)
    assert.isDefined(row, `job ${seq} is in the store`)
    return row
  })
})

export const rowOf = Effect.fnUntraced(function* (driver: StoreDriver, seq: number) {
  const [row] = yield* rowsOf(driver, [seq])
  assert.isDefined(row)
  return row
})

/** Submits one job and answers its row. */
export const submitOne = Effect.fnUntraced(function* (driver: StoreDriver, insert: InsertRow) {
  const [seq] = yield* submit(driver, insert)
  assert.isDefined(seq)
  return yield* rowOf(driver, seq)
})

/** A host that numbers its turns. */
export interface TestHost {
  readonly row: HostRow
  readonly driver: StoreDriver
  /** Commits under the host's fence with its next turn; a refused commit uses no turn up. */
  readonly commit: (
    parts: Partial<CommitRows>
  ) => Effect.Effect<CommittedRows, Effect.Error<ReturnType<StoreDriver["commit"]>>>
}

export const enlist = Effect.fnUntraced(function* (driver: StoreDriver, identity = `{"pid":1}`) {
  const row = yield* driver.enlist({ identity, at: 1 })
  let turn = row.turn
  const host: TestHost = {
    row,
    driver,
    commit: (parts) =>
      Effect.suspend(() =>
        Effect.tap(
          driver.commit(unitOf({ fence: { host: row.host, epoch: row.epoch, turn: turn + 1 }, ...parts })),
          () => Effect.sync(() => (turn += 1))
        )
      )
  }
  return host
})

/** The columns of a job that `host` works on. */
export const heldBy = (host: TestHost, incarnation = 1): Partial<JobStateRow> => ({
  state: "PROCESSING",
  agent_state: "working",
  incarnation,
  owner_host: host.row.host,
  owner_epoch: host.row.epoch,
  standing: null,
  phase: "work"
})

/** The columns of a job that waits for its retry, unowned. */
export const waiting = (runAt: number): Partial<JobStateRow> => ({
  state: "RETRY_SCHEDULED",
  agent_state: "abandoned",
  owner_host: null,
  owner_epoch: null,
  standing: "waiting",
  phase: null,
  run_at: runAt
})

/** The columns of a job that is over, with nothing left of its agent. */
export const over = (state: string, at: number): Partial<JobStateRow> => ({
  state,
  updated_at: at,
  agent_state: "tombstoned",
  owner_host: null,
  owner_epoch: null,
  standing: null,
  phase: null,
  disposition: state === "COMPLETED" ? "landed" : "discarded"
})

/** The change by which `host` claims a job that it has peeked at: three moves and the agent's dispatch in one commit (R9). */
export const claim = (row: JobRow, host: TestHost): ChangeRow => {
  const actor = `host:${host.row.host}`
  const moves =
    row.state === "PENDING"
      ? [moveEvent("PENDING", "VALIDATING", { actor }), moveEvent("VALIDATING", "PROCESSING", { actor })]
      : [moveEvent(row.state, "PROCESSING", { actor })]
  const incarnation = row.incarnation + 1
  return changeRow(row, heldBy(host, incarnation), {
    contested: true,
    events: [
      ...moves,
      eventRow({
        subject_kind: "agent",
        event: "dispatch",
        to_state: "dispatched",
        transition_reason: "job_accepted",
        actor,
        incarnation
      })
    ]
  })
}

/** Submits a job and lets `host` claim it; answers its row. */
export const claimed = Effect.fnUntraced(function* (host: TestHost, insert: InsertRow) {
  const row = yield* submitOne(host.driver, insert)
  const { lost } = yield* host.commit({ changes: [claim(row, host)] })
  assert.deepStrictEqual(lost, [])
  return yield* rowOf(host.driver, row.seq)
})

/** Submits a job that ends at once at `at` in FAILED and then, with a letter, in DEAD_LETTERED. */
export const quarantined = Effect.fnUntraced(function* (
  host: TestHost,
  insert: InsertRow,
  at: number,
  letter = letterRow()
) {
  const row = yield* claimed(host, insert)
  const events = [moveEvent("PROCESSING", "FAILED"), moveEvent("FAILED", "DEAD_LETTERED")]
  yield* host.commit({ changes: [changeRow(row, over("DEAD_LETTERED", at), { events, letter })] })
  return yield* rowOf(host.driver, row.seq)
})

/** Submits a job that completes at `at`. */
export const completed = Effect.fnUntraced(function* (host: TestHost, insert: InsertRow, at: number) {
  const row = yield* claimed(host, insert)
  yield* host.commit({ changes: [changeRow(row, over("COMPLETED", at), { result: `"done"` })] })
  return yield* rowOf(host.driver, row.seq)
})

const ascends = (after: number, page: ReadonlyArray<number>) => {
  for (const [place, number] of page.entries())
    assert.isAbove(number, page[place - 1] ?? after, "a page begins after the cursor and ascends")
}

/** Every job with its bodies, by pages. */
export const allJobs = Effect.fnUntraced(function* (driver: StoreDriver) {
  const rows: Array<JobWithBodiesRow> = []
  while (true) {
    const after = rows.at(-1)?.seq ?? 0
    const page = yield* driver.jobs({ by: "page", state: null, workflow: null, after, limit: 500 })
    if (page.rows.length === 0) return rows
    const seqs = page.rows.map(({ seq }) => seq)
    ascends(after, seqs)
    rows.push(...(yield* rowsOf(driver, seqs)))
  }
})

/** Every event, by pages. */
export const allEvents = Effect.fnUntraced(function* (driver: StoreDriver, job: number | null = null) {
  const events: Array<EventRow> = []
  while (true) {
    const after = events.at(-1)?.sequence ?? 0
    const page = yield* driver.events({ job, after, limit: 500, order: "ascending" })
    if (page.length === 0) return events
    ascends(
      after,
      page.map(({ sequence }) => sequence)
    )
    events.push(...page)
  }
})

/** Every record of a kind, by pages. */
export const allRecords = Effect.fnUntraced(function* <K extends RecordRow["kind"]>(
  driver: StoreDriver,
  kind: K,
  parts: Partial<RecordsQuery> = {}
) {
  const records: Array<Extract<RecordRow, { readonly kind: K }>> = []
  while (true) {
    const after = records.at(-1)?.cursor ?? 0
    const page = yield* driver.records({ job: null, after, limit: 100, ...parts, kind })
    if (page.length === 0) return records
    ascends(
      after,
      page.map(({ cursor }) => cursor)
    )
    for (const record of page) {
      assert.strictEqual(record.kind, kind)
      // the line above is the proof that TypeScript can't follow through a generic
      records.push(record as Extract<RecordRow, { readonly kind: K }>)
    }
  }
})

type RowOf<K extends RecordRow["kind"]> = Extract<RecordRow, { readonly kind: K }>["row"]

/** The rows of `allRecords`. */
export const rowsOfKind = <K extends RecordRow["kind"]>(
  driver: StoreDriver,
  kind: K,
  parts: Partial<RecordsQuery> = {}
) =>
  // `allRecords` has proven the kind; TypeScript doesn't follow it through the generic to the row
  Effect.map(allRecords(driver, kind, parts), (found) => found.map(({ row }) => row as RowOf<K>))

const kinds = ["retries", "letters", "markers", "intents", "hosts", "banks", "breakers", "messages"] as const

/** Everything that can be seen of a store. */
export const look = Effect.fnUntraced(function* (driver: StoreDriver) {
  return {
    jobs: yield* allJobs(driver),
    events: yield* allEvents(driver),
    records: yield* Effect.forEach(kinds, (kind) => allRecords(driver, kind)),
    tally: yield* driver.tally({ now: Number.MAX_SAFE_INTEGER })
  }
})

type Code = "ORCH_STORE_STALE" | "ORCH_STORE_BROKEN" | "ORCH_HOST_FENCED"

/** Expects that `effect` is refused with `code`. */
export const refuses = Effect.fnUntraced(function* <A, E extends { readonly _tag: string }>(
  code: Code,
  effect: Effect.Effect<A, E>
) {
  const result = yield* Effect.result(effect)
  assert.isTrue(Result.isFailure(result), `it is refused with ${code}`)
  if (Result.isSuccess(result)) return
  assert.strictEqual(result.failure._tag, code)
  // Whoever waits for a broken medium must not wait for a row that will never be taken.
  if (code === "ORCH_STORE_BROKEN") assert.propertyVal(result.failure, "refused", true, "it says `refused`")
})

/** Expects that `effect` is refused with `code` and leaves everything in the store as it was. */
export const refusesWhole = Effect.fnUntraced(function* <A, E extends { readonly _tag: string }>(
  driver: StoreDriver,
  code: Code,
  effect: Effect.Effect<A, E>
) {
  const before = yield* look(driver)
  yield* refuses(code, effect)
  assert.deepStrictEqual(yield* look(driver), before, "a refused commit writes nothing")
})
