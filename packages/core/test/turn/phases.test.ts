import { assert, describe, it } from "@effect/vitest"
import { changed, commands, failure, left, moves, now, notes, self, turn, working } from "./Scene.ts"

const who = { seq: 1, incarnation: 1 }
const result = '{"findings":[]}'

describe("an attempt that goes well", () => {
  it("lands and completes in one change, and is tombstoned in the same turn where there is no workspace (R1)", () => {
    const draft = turn([working()], [{ _tag: "Worked", ...who, result }])
    assert.deepStrictEqual(moves(draft), [
      "agent working land landed commit_verified",
      "job PROCESSING complete COMPLETED landed",
      "agent landed clean tombstoned clean"
    ])
    const { job, result: kept, version } = changed(draft)
    assert.deepStrictEqual([version, job.version, job.state, kept], [2, 3, "COMPLETED", result])
    assert.deepStrictEqual(job.agent, {
      state: "tombstoned",
      incarnation: 1,
      owner: null,
      standing: null,
      phase: null,
      hung: false,
      restarts: [],
      steps: [],
      workspace: null,
      disposition: "landed"
    })
    assert.deepStrictEqual(commands(draft), ["Forget 1"])
    assert.strictEqual(draft.owned.size, 0)
  })

  it("is verified and landed where the workflow has gates and a lander, the commit marker first", () => {
    const worked = turn([working("full", { workspace: "/w/1" })], [{ _tag: "Worked", ...who, result }])
    assert.deepStrictEqual(moves(worked), [])
    assert.deepInclude(left(worked).agent, { state: "working", phase: "verify" })
    assert.deepStrictEqual(changed(worked).markers, [
      { name: "commit", state: "finished", incarnation: 1, at: now, result }
    ])
    assert.deepInclude(worked.commands[0], { _tag: "Verify", result })

    const verified = turn([left(worked).job], [{ _tag: "Verified", ...who, result }])
    assert.deepStrictEqual(moves(verified), [])
    assert.deepInclude(left(verified).agent, { state: "working", phase: "land" })
    assert.deepStrictEqual(changed(verified).markers, [])
    assert.deepInclude(verified.commands[0], { _tag: "Land", result })

    const done = { _tag: "LandingDone", ...who, result, reference: "refs/heads/main" } as const
    const landed = turn([left(verified).job], [done])
    assert.deepStrictEqual(moves(landed), [
      "agent working land landed commit_verified",
      "job PROCESSING complete COMPLETED landed"
    ])
    assert.strictEqual(changed(landed).events[0]?.detail, '{"reference":"refs/heads/main"}')
    assert.deepInclude(changed(landed), { result })
    assert.deepInclude(left(landed).agent, { state: "landed", phase: "archive", owner: self, standing: null })
    assert.deepStrictEqual(commands(landed), ["Archive 1"])
  })

  it("goes from work to the lander where there are no gates, and from the gates home where there is no lander", () => {
    const worked = turn([working("lander")], [{ _tag: "Worked", ...who, result }])
    assert.deepStrictEqual(commands(worked), ["Land 1"])
    assert.deepInclude(left(worked).agent, { phase: "land" })
    const verified = turn([working("gates", { phase: "verify" })], [{ _tag: "Verified", ...who, result }])
    assert.deepStrictEqual(changed(verified).job.state, "COMPLETED")
  })

  it("begins to work when its workspace stands, with the first incarnation's move to working (R5)", () => {
    const prepared = { _tag: "Prepared", ...who, workspace: "/w/1" } as const
    const first = turn([working("workspace", { state: "dispatched", phase: "prepare" })], [prepared])
    assert.deepStrictEqual(moves(first), ["agent dispatched prepare working prepared"])
    assert.deepInclude(left(first).agent, { state: "working", phase: "work", workspace: "/w/1" })
    assert.deepStrictEqual(commands(first), ["Work 1"])

    const recovered = turn([working("workspace", { phase: "prepare", workspace: "/w/0" })], [prepared])
    assert.deepStrictEqual(moves(recovered), [])
    assert.deepInclude(left(recovered).agent, { state: "working", phase: "work", workspace: "/w/1" })
    assert.deepStrictEqual(commands(recovered), ["Work 1"])
  })

  it("passes all its phases in one turn when all their signals wait, in one change with one version (R8)", () => {
    const draft = turn(
      [working("full", { state: "dispatched", phase: "prepare" })],
      [
        { _tag: "Prepared", ...who, workspace: "/w/1" },
        { _tag: "Worked", ...who, result },
        { _tag: "Verified", ...who, result },
        { _tag: "LandingDone", ...who, result, reference: null },
        { _tag: "Archived", ...who, artifacts: ["log"] },
        { _tag: "Cleaned", ...who, fate: { _tag: "Removed" } }
      ]
    )
    assert.deepInclude(changed(draft), { version: 2 })
    assert.deepInclude(changed(draft).job, { version: 3, state: "COMPLETED" })
    assert.deepInclude(left(draft).agent, { state: "tombstoned", disposition: "landed", workspace: null })
    assert.deepStrictEqual(commands(draft), [
      "Work 1",
      "Verify 1",
      "Land 1",
      "Archive 1",
      "Clean 1",
      "Forget 1"
    ])
  })
})

describe("a landed agent with a workspace", () => {
  const landed = working(
    "workspace",
    { state: "landed", phase: "archive", workspace: "/w/1" },
    { state: "COMPLETED" }
  )

  it("is archived, which is marked, and only then cleaned", () => {
    const archived = turn([landed], [{ _tag: "Archived", ...who, artifacts: ["report.html"] }])
    assert.deepStrictEqual(moves(archived), [])
    assert.deepStrictEqual(changed(archived).markers, [
      { name: "archive", state: "finished", incarnation: 1, at: now, result: '["report.html"]' }
    ])
    assert.deepStrictEqual(commands(archived), ["Clean 1"])
    const cleaned = turn([left(archived).job], [{ _tag: "Cleaned", ...who, fate: { _tag: "Removed" } }])
    assert.deepStrictEqual(moves(cleaned), ["agent landed clean tombstoned clean"])
    assert.strictEqual(changed(cleaned).events[0]?.detail, '{"workspace":"removed"}')
    assert.deepInclude(left(cleaned).agent, { disposition: "landed", workspace: null, owner: null })
    assert.deepStrictEqual(commands(cleaned), ["Forget 1"])
    assert.isFalse(cleaned.owned.has(1))
  })

  it("is tombstoned with its workspace kept, and named in the record, where it could not be archived or cleaned (R30)", () => {
    const fate = { _tag: "Kept", at: "/w/1", reason: "it is dirty" } as const
    for (const phase of ["archive", "clean"] as const) {
      const draft = turn(
        [working("workspace", { state: "landed", phase, workspace: "/w/1" }, { state: "COMPLETED" })],
        [{ _tag: "Cleaned", ...who, fate }]
      )
      assert.deepStrictEqual(moves(draft), ["agent landed clean tombstoned workspace_kept"])
      assert.strictEqual(
        changed(draft).events[0]?.detail,
        '{"workspace":"kept","at":"/w/1","reason":"it is dirty"}'
      )
      assert.deepInclude(left(draft).agent, { disposition: "landed", workspace: "/w/1", owner: null })
    }
  })

  it("is closed under the disposition that its job's end says: quarantined or discarded", () => {
    for (const [state, disposition] of [
      ["DEAD_LETTERED", "quarantined"],
      ["FAILED", "quarantined"],
      ["CANCELLED", "discarded"]
    ] as const) {
      const closing = working(
        "workspace",
        { state: "abandoned", standing: "closing", phase: "clean", workspace: "/w/1" },
        { state }
      )
      const draft = turn([closing], [{ _tag: "Cleaned", ...who, fate: { _tag: "Removed" } }])
      assert.deepStrictEqual(moves(draft), [`agent abandoned tombstone tombstoned ${disposition}`])
      assert.deepInclude(left(draft).agent, { disposition, standing: null })
    }
  })
})

describe("a signal that doesn't fit the phase", () => {
  const lives = [
    { _tag: "Prepared", ...who, workspace: "/w/9" },
    { _tag: "PrepareFailed", ...who, phase: "prepare", failure: failure("EXT_A"), workspace: null },
    { _tag: "Worked", ...who, result },
    { _tag: "WorkFailed", ...who, failure: failure("EXT_A") },
    { _tag: "Verified", ...who, result },
    { _tag: "VerifyFailed", ...who, failure: failure("ORCH_GATE_REJECTED") },
    { _tag: "LandingDone", ...who, result, reference: null },
    { _tag: "LandingRejected", ...who, failure: failure("ORCH_RETRYABLE_LANDING_CONFLICT") },
    { _tag: "LandingUnknown", ...who, failure: failure("ORCH_LANDING_UNKNOWN") },
    { _tag: "Ended", ...who },
    { _tag: "Hung", ...who },
    { _tag: "Archived", ...who, artifacts: [] },
    { _tag: "Cleaned", ...who, fate: { _tag: "Removed" } }
  ] as const
  const fitting: Readonly<Record<string, ReadonlyArray<string>>> = {
    prepare: ["Prepared", "PrepareFailed"],
    work: ["Worked", "WorkFailed"],
    verify: ["Verified", "VerifyFailed"],
    land: ["LandingDone", "LandingRejected", "LandingUnknown"],
    archive: ["Archived", "Cleaned"],
    clean: ["Cleaned"]
  }

  for (const [phase, tags] of Object.entries(fitting)) {
    it(`is refused with a note in ${phase}, so that a repeated message changes nothing: only ${tags.join(", ")} count`, () => {
      const leaving = phase === "archive" || phase === "clean"
      const job = working(
        "full",
        // the keys of the table above are phases
        { state: leaving ? "landed" : "working", phase: phase as "work", workspace: "/w/1" },
        { state: leaving ? "COMPLETED" : "PROCESSING" }
      )
      for (const signal of lives) {
        const draft = turn([job], [signal])
        if (tags.includes(signal._tag)) assert.isTrue(draft.changes.has(1), signal._tag)
        else {
          assert.strictEqual(draft.changes.size, 0, signal._tag)
          assert.deepStrictEqual(draft.commands, [], signal._tag)
          assert.deepStrictEqual(
            notes(draft),
            [leaving ? "1/1 late_completion already_abandoned" : "1/1 refused_message not_expected"],
            signal._tag
          )
        }
      }
    })
  }
})
