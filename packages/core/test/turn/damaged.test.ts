import { assert, describe, it } from "@effect/vitest"
import type { Job } from "../../src/domain/Job.ts"
import type { DamagedJob } from "../../src/domain/turn/damaged.ts"
import { bury } from "../../src/domain/turn/damaged.ts"
import { begin, type Draft } from "../../src/domain/turn/Draft.ts"
import { decodeJob, encodeState, salvageJob } from "../../src/ports/StoreCodec.ts"
import type { JobWithBodiesRow } from "../../src/ports/StoreRows.ts"
import { env, gone, pending, waiting, working } from "./Scene.ts"

/** The row of a job, with columns that nobody can read. */
const damage = (job: Job, patch: Partial<JobWithBodiesRow>): DamagedJob => {
  const row: JobWithBodiesRow = {
    seq: job.seq,
    version: job.version,
    workflow_type: job.workflowType,
    idempotency_key: job.idempotencyKey,
    payload_fingerprint: job.payloadFingerprint,
    priority: job.priority,
    created_at: job.createdAt,
    max_retries: job.maxRetries,
    correlation_id: null,
    trace_context: null,
    replay_of: null,
    superseded_by: null,
    payload: '{"secret":1}',
    result: null,
    ...encodeState(job),
    ...patch
  }
  const decoded = decodeJob("s", row)
  if (decoded._tag === "Success") throw new Error("the row is sound")
  return salvageJob("s", row, decoded.failure.detail)
}

const moves = (draft: Draft, seq = 1) =>
  draft.changes
    .get(seq)
    ?.events.map(({ event, subjectKind, transitionReason }) => `${subjectKind} ${event}:${transitionReason}`)

const buried = (damaged: DamagedJob): Draft => {
  const draft = begin(new Map())
  bury(draft, env, damaged)
  return draft
}

describe("a row that can't be decoded", () => {
  it("of a waiting job walks the legal edges to its letter in one unit, and the raw row is kept there (R18)", () => {
    const damaged = damage(waiting("plain"), { restarts: "not json" })
    const draft = buried(damaged)
    assert.deepStrictEqual(moves(draft), [
      "job retry:due",
      "job fail:invariant_broken",
      "job dead_letter:quarantined",
      "agent tombstone:quarantined"
    ])
    const entry = draft.changes.get(1)
    assert.isTrue(entry?.contested)
    assert.deepInclude(entry?.letter, {
      failureErrorCode: "ORCH_STATE_MACHINE_INVARIANT_BROKEN",
      finalState: "FAILED"
    })
    assert.deepInclude(JSON.parse(entry?.letter?.raw ?? ""), { seq: 1, restarts: "not json" })
    assert.notInclude(entry?.letter?.raw ?? "", "secret", "the payload has its own row")
    assert.include(entry?.letter?.failureSummary ?? "", "restarts")
  })

  it("of a new job ends VALIDATING", () => {
    const draft = buried(damage(pending("plain"), { agent_state: "undead" }))
    assert.deepStrictEqual(moves(draft), [
      "job validate:slot_free",
      "job reject:invariant_broken",
      "job dead_letter:quarantined"
    ])
  })

  it("of a lost host's working agent ends the agent too; its workspace is archived and cleaned", () => {
    const orphan = working("workspace", { owner: gone, workspace: "/w/1" })
    const draft = buried(damage(orphan, { phase: "lunch" }))
    assert.deepStrictEqual(moves(draft), [
      "job fail:invariant_broken",
      "job dead_letter:quarantined",
      "agent abandon:host_lost"
    ])
    assert.deepStrictEqual(
      draft.commands.map(({ _tag }) => _tag),
      ["Archive"]
    )
    assert.deepInclude(draft.changes.get(1)?.job.agent, { standing: "closing", owner: env.owner })
  })

  it("of a final job is a note, and what it owes is done (R18)", () => {
    const landed = working(
      "plain",
      { state: "landed", owner: gone, phase: "archive" },
      { state: "COMPLETED" }
    )
    const draft = buried(damage(landed, { steps: "[1]" }))
    assert.deepStrictEqual(
      draft.notes.map(({ event, seq }) => [event, seq]),
      [["damaged_row", 1]]
    )
    assert.deepStrictEqual(moves(draft), ["agent clean:clean"])
    assert.isNull(draft.changes.get(1)?.letter)
  })

  it("of which not even the state is known is a note, and nothing else", () => {
    const draft = buried(damage(waiting("plain"), { state: "LIMBO" }))
    assert.deepStrictEqual(
      draft.notes.map(({ event, seq }) => [event, seq]),
      [["damaged_row", 1]]
    )
    assert.strictEqual(draft.changes.size, 0)
  })

  it("is written so that it can be read again", () => {
    for (const patch of [
      { standing: "nowhere" },
      { phase: "lunch" },
      { agent_state: "undead" },
      { disposition: "lost" },
      { restarts: '{"a":1}' },
      { steps: "]" }
    ] as const) {
      for (const job of [waiting("plain"), working("plain", { owner: gone })]) {
        const written = buried(damage(job, patch)).changes.get(1)?.job
        if (written === undefined) throw new Error("nothing is written")
        const row = { ...encodeState(written), seq: 1, version: 9, correlation_id: null } as const
        // only the columns that decoding looks at
        const decoded = decodeJob("s", row as unknown as JobWithBodiesRow)
        assert.strictEqual(decoded._tag, "Success", JSON.stringify(patch))
        assert.strictEqual(written.state, "DEAD_LETTERED")
        assert.strictEqual(written.agent?.state, "tombstoned")
      }
    }
  })
})
