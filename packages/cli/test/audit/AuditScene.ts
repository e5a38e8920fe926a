// A store with a job in every state, as a host has made it, and what its file looks like from below.
import { DatabaseSync } from "node:sqlite"
import { AgentMachine, dispositions, JobMachine, phases, standings, Store } from "@muster/core"
import { SqliteStore } from "@muster/store-sqlite"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { storeFolder } from "../CommandLine.ts"
import { enlist } from "../HandMadeHost.ts"

/** Each job by what has become of it. */
export const jobs = {
  landed: 1,
  replayed: 2,
  working: 3,
  retrying: 4,
  pending: 5,
  cancelled: 6,
  exhausted: 7,
  plain: 8,
  replay: 9
} as const
export type JobName = keyof typeof jobs

/** Replays job `seq` as an operator will: the key goes over to the new job in the unit that inserts it. */
const replay = Effect.fnUntraced(function* (seq: number) {
  const store = yield* Store
  const { job, payload } = yield* store.job(String(seq))
  yield* store.commit({
    fence: null,
    at: job.updatedAt,
    inserts: [
      {
        workflowType: job.workflowType,
        idempotencyKey: job.idempotencyKey,
        payloadFingerprint: job.payloadFingerprint,
        payload: payload ?? "null",
        priority: job.priority,
        runAt: job.updatedAt,
        maxRetries: job.maxRetries,
        correlationId: job.correlationId,
        traceContext: job.traceContext,
        replayOf: seq,
        actor: "operator:ana"
      }
    ]
  })
})

/** Epoch ms at which the scene is done, and is looked at. */
export const now = 3_602_000

/** Makes the store; host 1 lives and beats. */
const scene = Effect.gen(function* () {
  const { file, folder, type } = yield* storeFolder
  yield* TestClock.setTime(now - 2_000)
  for (const n of [1, 2, 3, 4, 5, 6]) yield* type(["submit", "-w", "count", `{"n":${n}}`])
  yield* type(["submit", "-w", "count", "--max-retries", "0", `{"n":7}`])
  yield* type(["submit", "-w", "count", `{"n":8}`])
  yield* type(["cancel", "6"])
  yield* Effect.gen(function* () {
    const host = yield* enlist
    const { exhausted, landed, plain, replayed, retrying, working } = jobs
    yield* host.take(landed)
    yield* host.fail(landed, "EXT_AWAY", "not now")
    yield* host.take(replayed)
    yield* host.fail(replayed, "EXT_AWAY", "not now")
    yield* TestClock.adjust("2 seconds")
    yield* host.take(landed)
    yield* host.land(landed, { total: 1 })
    yield* host.take(replayed)
    yield* host.fail(replayed, "DQ_BAD", "never")
    yield* host.take(exhausted)
    yield* host.fail(exhausted, "EXT_AWAY", "not now")
    yield* host.take(plain)
    yield* host.land(plain, { total: 8 })
    yield* host.take(working)
    yield* host.take(retrying)
    yield* host.fail(retrying, "EXT_AWAY", "not now")
    yield* replay(replayed)
    yield* host.renew
  }).pipe(Effect.provide(SqliteStore.layer({ filename: file })))
  return { file, folder }
})

export interface Template {
  readonly file: string
  readonly folder: string
}

/** The store as it was made, for tests that copy it and plant a fault in the copy. */
export class AuditScene extends Context.Service<AuditScene, Template>()("@muster/cli/test/audit/AuditScene") {
  static readonly layer = Layer.effect(AuditScene, scene)
}

/** Numbers of words, as the file has them. */
export const job = (state: (typeof JobMachine.states)[number]): number => JobMachine.states.indexOf(state)
export const agent = (state: (typeof AgentMachine.states)[number]): number =>
  AgentMachine.states.indexOf(state)
export const standing = (name: (typeof standings)[number]): number => standings.indexOf(name)
export const phase = (name: (typeof phases)[number]): number => phases.indexOf(name)
export const disposition = (name: (typeof dispositions)[number]): number => dispositions.indexOf(name)

/** Sets columns of a job's row. */
export const row = (name: JobName, columns: string): string =>
  `UPDATE job_state SET ${columns} WHERE seq = ${jobs[name]}`

/** The number of a job's only event of this name. */
export const event = (name: JobName, move: string): string =>
  `(SELECT e.sequence FROM event e JOIN move m USING (move) WHERE e.job = ${jobs[name]} AND m.event = '${move}' ORDER BY e.sequence DESC LIMIT 1)`

/** Takes an event out of its job's chain, whose ends are tied together. */
export const without = (name: JobName, move: string): ReadonlyArray<string> => {
  const gone = event(name, move)
  const before = `(SELECT previous FROM event WHERE sequence = ${gone})`
  return [
    `UPDATE event SET previous = ${before} WHERE previous = ${gone}`,
    `UPDATE job_state SET last_event = ${before} WHERE last_event = ${gone}`,
    `DELETE FROM event WHERE sequence = ${gone}`
  ]
}

/** Lets a job's event be another move, or the same one for another reason. */
export const as = (
  name: JobName,
  move: string,
  parts: { readonly reason: string }
): ReadonlyArray<string> => [
  `INSERT INTO move (subject_kind, event, from_state, to_state, reason)
    SELECT subject_kind, event, from_state, to_state, '${parts.reason}' FROM move WHERE move = (SELECT move FROM event WHERE sequence = ${event(name, move)})`,
  `UPDATE event SET move = (SELECT max(move) FROM move) WHERE sequence = ${event(name, move)}`
]

/** Writes below the store: no CHECK stands in the way. */
export const plant = (file: string, statements: ReadonlyArray<string>): void => {
  const database = new DatabaseSync(file)
  try {
    database.exec("PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF")
    for (const statement of statements) database.exec(statement)
  } finally {
    database.close()
  }
}
