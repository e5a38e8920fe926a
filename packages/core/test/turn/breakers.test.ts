import { assert, describe, it } from "@effect/vitest"
import * as Breaker from "../../src/domain/Breaker.ts"
import { defaults } from "../../src/domain/Defaults.ts"
import type { Job } from "../../src/domain/Job.ts"
import { loseProbe, probeBreaker, settleProbes } from "../../src/domain/turn/breakers.ts"
import { decide } from "../../src/domain/turn/decide.ts"
import { begin, type Draft, isEmpty } from "../../src/domain/turn/Draft.ts"
import type { Signal } from "../../src/domain/turn/Signal.ts"
import { cancelWanted, env, failure, gone, now, working } from "./Scene.ts"

const workflow = "plain"

const owned = (jobs: ReadonlyArray<Job>): ReadonlyMap<number, Job> =>
  new Map(jobs.map((job) => [job.seq, job]))
const jobs = (count: number, patch: Partial<Job> = {}): ReadonlyArray<Job> =>
  Array.from({ length: count }, (_, index) => working(workflow, {}, { seq: index + 1, ...patch }))

const fails = (seq: number, code = "EXT_A", patch = {}): Signal => ({
  _tag: "WorkFailed",
  seq,
  incarnation: 1,
  failure: failure(code, patch)
})
const works = (seq: number): Signal => ({ _tag: "Worked", seq, incarnation: 1, result: "1" })

const run = (
  given: ReadonlyArray<Job>,
  signals: ReadonlyArray<Signal>,
  breakers: ReadonlyMap<string, Breaker.Breaker> = new Map(),
  at = now
): Draft => {
  const draft = begin(owned(given), breakers)
  for (const signal of signals) decide(draft, signal, { ...env, now: at })
  settleProbes(draft, { ...env, now: at })
  return draft
}

const stateOf = (draft: Draft) => draft.breakers.get(workflow)?.state ?? "closed"
const reasons = (draft: Draft) =>
  draft.notes.flatMap(({ event, subjectKind, transitionReason }) =>
    subjectKind === "host" ? [`${event}:${transitionReason}`] : []
  )

/** Half-open, with job 1 as its probe. */
const probing = (): ReadonlyMap<string, Breaker.Breaker> => {
  const storm = run(
    jobs(5),
    [1, 2, 3, 4, 5].map((seq) => fails(seq))
  )
  const draft = begin(owned([working(workflow)]), storm.breakers)
  probeBreaker(draft, { ...env, now: now + 30_000 }, working(workflow))
  return draft.breakers
}

describe("a workflow's breaker hears", () => {
  it("five transient failures: it opens in the commit of the fifth, with a note of the host", () => {
    const draft = run(
      jobs(5),
      [1, 2, 3, 4, 5].map((seq) => fails(seq))
    )
    assert.strictEqual(stateOf(draft), "open")
    assert.deepStrictEqual([...draft.tripped], [workflow])
    assert.deepStrictEqual(reasons(draft), ["breaker_open:attempts_failing"])
    const note = draft.notes.find(({ subjectKind }) => subjectKind === "host")
    assert.deepInclude(note, { seq: null, actor: "host:1", occurredAt: now, toState: null })
    assert.deepStrictEqual(JSON.parse(note?.detail ?? ""), {
      workflow_type: workflow,
      failures: 5,
      opened_at: now,
      probe_at: now + 30_000
    })
  })

  it("the last attempt of a budget too: it burned, and it might have passed", () => {
    const spent = jobs(5, { maxRetries: 0 })
    assert.strictEqual(
      stateOf(
        run(
          spent,
          [1, 2, 3, 4, 5].map((seq) => fails(seq))
        )
      ),
      "open"
    )
  })

  for (const [what, signal] of [
    ["permanent errors", (seq: number) => fails(seq, "DQ_A")],
    ["rate-limit holds", (seq: number) => fails(seq, "EXT_A", { retryAfterMillis: 60_000 })],
    ["cancels", (seq: number) => cancelWanted(working(workflow, {}, { seq }), seq)],
    ["a shutdown", (): Signal => ({ _tag: "Stopping" })],
    [
      "a lost host",
      (seq: number): Signal => ({
        _tag: "Orphaned",
        job: working(workflow, { owner: gone }, { seq: seq + 100 })
      })
    ]
  ] as const) {
    it(`nothing of ${what}`, () => {
      const draft = run(
        jobs(9),
        [1, 2, 3, 4, 5, 6, 7, 8, 9].map((seq) => signal(seq))
      )
      assert.isAbove(draft.changes.size, 0)
      assert.strictEqual(draft.breakers.size, 0)
      assert.strictEqual(draft.tripped.size, 0)
    })
  }

  it("of its own workflow alone", () => {
    const other = [...jobs(4), working("gates", {}, { seq: 5 })]
    assert.strictEqual(
      stateOf(
        run(
          other,
          [1, 2, 3, 4, 5].map((seq) => fails(seq))
        )
      ),
      "closed"
    )
  })

  it("writes nothing of its own while it only counts", () => {
    const draft = run(
      jobs(4),
      [1, 2, 3, 4].map((seq) => fails(seq))
    )
    assert.strictEqual(draft.breakers.get(workflow)?.outcomes.length, 4)
    assert.strictEqual(draft.tripped.size, 0)
    assert.deepStrictEqual(reasons(draft), [])
  })
})

describe("the probe of a half-open breaker", () => {
  const probe = working(workflow, {}, { updatedAt: now + 30_000 })
  const later = now + 31_000

  it("closes it when it lands", () => {
    const draft = run([probe], [works(1)], probing(), later)
    assert.strictEqual(stateOf(draft), "closed")
    assert.deepStrictEqual(reasons(draft), ["breaker_closed:probe_succeeded"])
  })

  it("opens it again when it fails for a passing reason", () => {
    const draft = run([probe], [fails(1)], probing(), later)
    assert.deepInclude(draft.breakers.get(workflow), { state: "open", probeAt: later + 30_000, failures: 6 })
    assert.deepStrictEqual(reasons(draft), ["breaker_open:probe_failed"])
  })

  it("opens it again, with patience, when it is held", () => {
    const draft = run([probe], [fails(1, "EXT_A", { retryAfterMillis: 60_000 })], probing(), later)
    assert.deepInclude(draft.breakers.get(workflow), { state: "open", probeAt: later + 30_000 })
    assert.deepStrictEqual(reasons(draft), ["breaker_open:probe_held"])
  })

  const endings: ReadonlyArray<readonly [string, Signal]> = [
    ["fails for good", fails(1, "DQ_A")],
    ["is cancelled", cancelWanted(probe)],
    ["is handed back", { _tag: "Stopping" }]
  ]
  for (const [how, signal] of endings) {
    it(`lets another one go at once when it ${how}: that says nothing`, () => {
      const draft = run([probe], [signal], probing(), later)
      assert.deepInclude(draft.breakers.get(workflow), { state: "open", probeAt: later, failures: 5 })
      assert.deepStrictEqual(reasons(draft), ["breaker_open:probe_inconclusive"])
    })
  }

  it("is sound once it has worked for long enough: nobody waits for hours because one job takes hours", () => {
    const soon = now + 30_000 + defaults.soundMillis - 1
    assert.isTrue(isEmpty(run([probe], [], probing(), soon)))
    const draft = run([probe], [], probing(), soon + 1)
    assert.strictEqual(stateOf(draft), "closed")
    assert.deepStrictEqual(reasons(draft), ["breaker_closed:probe_sound"])
    assert.isFalse(isEmpty(draft))
  })

  it("is the only one that is heard: attempts from before the storm are not", () => {
    const older = working(workflow, {}, { seq: 2 })
    const draft = run([probe, older], [works(2)], probing(), later)
    assert.strictEqual(stateOf(draft), "half_open")
    assert.strictEqual(stateOf(run([probe, older], [fails(2)], probing(), later)), "half_open")
  })

  it("that was lost with its host gives way to another one; a host that knows its own probe lets nobody lose it", () => {
    const elsewhere = new Map(
      Array.from(probing(), ([name, breaker]) => [name, { ...breaker, probe: null }] as const)
    )
    const orphan: Signal = { _tag: "Orphaned", job: working(workflow, { owner: gone }, { seq: 9 }) }
    const draft = run([], [orphan], elsewhere, later)
    assert.deepInclude(draft.breakers.get(workflow), { state: "open", probeAt: later })
    assert.deepStrictEqual(reasons(draft), ["breaker_open:probe_lost"])
    const mine = begin(new Map(), probing())
    loseProbe(mine, { ...env, now: later }, working(workflow))
    assert.strictEqual(stateOf(mine), "half_open")
  })
})
