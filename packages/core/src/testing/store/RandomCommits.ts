/**
 * A property: after any sequence of commits the store answers as a model of a few lines does. The model is a list of jobs.
 */
import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { JobMachine, type JobState } from "../../domain/JobMachine.ts"
import * as Machine from "../../domain/Machine.ts"
import type { ChangeRow, InsertRow, StoreDriver } from "../../ports/StoreDriver.ts"
import type { JobStateRow } from "../../ports/StoreRows.ts"
import {
  allEvents,
  allJobs,
  allRecords,
  enlist,
  heldBy,
  over,
  refuses,
  rowsOf,
  type TestHost,
  waiting
} from "./StoreActs.ts"
import { changeRow, insertRow, letterRow, start } from "./StoreRowsFixture.ts"
import type { StoreTests } from "./StoreUnderTest.ts"
import { counted, counts } from "./Tally.ts"

const small = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))

/** One thing that a unit does. A pick chooses among what there is, modulo. */
const Act = Schema.Struct({
  act: Schema.Literals(["submit", "submit", "move", "move", "move", "replay"]),
  workflow: small(1),
  key: small(7),
  priority: small(3),
  delay: small(4),
  pick: small(60)
})
const Unit = Schema.Struct({
  acts: Schema.Array(Act).check(Schema.isMaxLength(6)),
  /** Broken on purpose: nothing of it may happen. */
  spoilt: Schema.Literals(["no", "no", "no", "stale", "event", "turn"])
})
const Units = Schema.Array(Unit).check(Schema.isMaxLength(25))

interface ModelJob {
  readonly seq: number
  readonly workflow: string
  readonly key: string
  readonly priority: number
  readonly state: JobState
  readonly runAt: number
  readonly letter: boolean
  readonly supersededBy: number | null
  readonly version: number
}

const stateFor = (state: JobState, host: TestHost, runAt: number): Partial<JobStateRow> => {
  if (state === "RETRY_SCHEDULED") return waiting(runAt)
  if (state === "PROCESSING") return heldBy(host)
  return state === "PENDING" || state === "VALIDATING" ? { state } : over(state, start)
}

/** The unit that these acts mean, and the model after it. */
const plan = Effect.fnUntraced(function* (
  driver: StoreDriver,
  host: TestHost,
  jobs: ReadonlyArray<ModelJob>,
  acts: ReadonlyArray<typeof Act.Type>
) {
  const after = [...jobs]
  const inserts: Array<InsertRow> = []
  const changes: Array<ChangeRow> = []
  const touched = new Set<number>()
  const answers: Array<number> = []
  const insert = (
    job: Omit<ModelJob, "seq" | "state" | "letter" | "supersededBy" | "version">,
    supersedes: number | null
  ) => {
    inserts.push(
      insertRow(job.key, {
        workflow_type: job.workflow,
        priority: job.priority,
        run_at: job.runAt,
        supersedes
      })
    )
    const holder = after.findIndex(
      (other) => other.workflow === job.workflow && other.key === job.key && other.supersededBy === null
    )
    const old = after[holder]
    if (old !== undefined && old.seq !== supersedes) return answers.push(old.seq)
    const seq = after.length + 1
    if (old !== undefined) after[holder] = { ...old, supersededBy: seq }
    after.push({ ...job, seq, state: "PENDING", letter: false, supersededBy: null, version: 1 })
    return answers.push(seq)
  }
  for (const act of acts) {
    const runAt = start + act.delay
    if (act.act === "submit") {
      insert({ workflow: `w${act.workflow}`, key: `k${act.key}`, priority: act.priority, runAt }, null)
      continue
    }
    const chosen = jobs[act.pick % Math.max(1, jobs.length)]
    const now = after.find(({ seq }) => seq === chosen?.seq)
    if (chosen === undefined || now === undefined) continue
    const edges = JobMachine.edges.filter(({ from }) => from === now.state)
    if (act.act === "replay") {
      if (edges.length === 0) insert({ ...now, runAt }, now.seq)
      continue
    }
    const edge = edges[act.pick % Math.max(1, edges.length)]
    const [row] = yield* rowsOf(driver, [now.seq])
    if (edge === undefined || row === undefined || touched.has(now.seq)) continue
    touched.add(now.seq)
    const letter = edge.to === "DEAD_LETTERED"
    const state = stateFor(edge.to, host, runAt)
    changes.push(changeRow(row, state, { letter: letter ? letterRow() : null }))
    const moved = {
      ...now,
      state: edge.to,
      runAt: state.run_at ?? now.runAt,
      letter,
      version: now.version + 1
    }
    after[now.seq - 1] = moved
  }
  return { after, answers, inserts, changes }
})

const spoil = Effect.fnUntraced(function* (
  driver: StoreDriver,
  host: TestHost,
  unit: { readonly inserts: ReadonlyArray<InsertRow>; readonly changes: ReadonlyArray<ChangeRow> },
  how: "stale" | "event" | "turn"
) {
  const nothing = { fence: { host: host.row.host, epoch: host.row.epoch, turn: 0 }, ...unit }
  if (how === "turn") return yield* refuses("ORCH_HOST_FENCED", host.commit(nothing))
  if (how === "event") {
    const bad = insertRow("spoilt", { events: [] })
    const event = { ...bad, events: [{ ...unit.inserts[0]?.events[0], ...spoiltEvent }] }
    return yield* refuses("ORCH_STORE_BROKEN", host.commit({ ...unit, inserts: [...unit.inserts, event] }))
  }
  const [first] = (yield* driver.jobs({ by: "page", state: null, workflow: null, after: 0, limit: 1 })).rows
  if (first === undefined) return yield* Effect.void
  const stale = changeRow(first, {}, { version: first.version + 1 })
  const changes = [...unit.changes.filter(({ seq }) => seq !== first.seq), stale]
  return yield* refuses("ORCH_STORE_STALE", host.commit({ ...unit, changes }))
})

const spoiltEvent = {
  subject_kind: "job",
  event: "submit",
  from_state: null,
  to_state: "PENDING",
  transition_reason: "",
  error_code: null,
  actor: "operator:ana",
  occurred_at: start,
  incarnation: 0,
  detail: null
}

const agrees = Effect.fnUntraced(function* (driver: StoreDriver, jobs: ReadonlyArray<ModelJob>) {
  const rows = yield* allJobs(driver)
  assert.deepStrictEqual(
    rows.map((row) => [
      row.seq,
      row.workflow_type,
      row.idempotency_key,
      row.state,
      row.run_at,
      row.superseded_by,
      row.version
    ]),
    jobs.map((job) => [job.seq, job.workflow, job.key, job.state, job.runAt, job.supersededBy, job.version])
  )
  assert.deepStrictEqual(yield* counts(driver), yield* counted(driver))
  const runnable = jobs
    .filter(({ state }) => state === "PENDING" || state === "RETRY_SCHEDULED")
    .toSorted((a, b) => b.priority - a.priority || a.runAt - b.runAt || a.seq - b.seq)
  const now = start + 2
  const due = runnable.filter(({ runAt }) => runAt <= now)
  const future = runnable.filter(({ runAt }) => runAt > now).map(({ runAt }) => runAt)
  const ready = yield* driver.jobs({ by: "ready", workflows: ["w0", "w1"], now, limit: 5 })
  assert.deepStrictEqual(
    ready.rows.map(({ seq }) => seq),
    due.slice(0, 5).map(({ seq }) => seq)
  )
  assert.strictEqual(ready.next_due, future.length === 0 ? null : Math.min(...future))
  const tally = yield* driver.tally({ now })
  assert.strictEqual(tally.oldest_ready, due.length === 0 ? null : Math.min(...due.map(({ runAt }) => runAt)))
  assert.strictEqual(
    tally.letters,
    jobs.filter(({ letter, supersededBy }) => letter && supersededBy === null).length
  )
  assert.lengthOf(yield* allRecords(driver, "letters"), jobs.filter(({ letter }) => letter).length)
})

export const randomCommits = ({ prop }: StoreTests): void => {
  prop(
    "rows, peek, counts and chains agree with a model after any sequence of commits",
    Units,
    (driver, units) =>
      Effect.gen(function* () {
        const host = yield* enlist(driver)
        let jobs: ReadonlyArray<ModelJob> = []
        for (const { acts, spoilt } of units) {
          const { after, answers, changes, inserts } = yield* plan(driver, host, jobs, acts)
          if (spoilt === "no") {
            const { inserted, lost } = yield* host.commit({ inserts, changes })
            assert.deepStrictEqual([inserted.map(({ seq }) => seq), lost], [answers, []])
            jobs = after
          } else yield* spoil(driver, host, { inserts, changes }, spoilt)
          yield* agrees(driver, jobs)
        }
        const events = yield* allEvents(driver)
        const ends = new Map<number | null, string | null>()
        for (const [place, event] of events.entries()) {
          assert.strictEqual(event.sequence, place + 1)
          assert.strictEqual(event.from_state, ends.get(event.job) ?? null)
          ends.set(event.job, event.to_state)
        }
        assert.deepStrictEqual(
          jobs.map(({ seq }) => ends.get(seq)),
          jobs.map(({ state }) => state)
        )
        assert.isTrue(jobs.every(({ state }) => Machine.reachable(JobMachine).has(state)))
      })
  )
}
