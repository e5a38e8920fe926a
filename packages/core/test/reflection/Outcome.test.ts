import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import type { EventDraft, LifecycleEvent } from "../../src/domain/LifecycleEvent.ts"
import { builtInFacet } from "../../src/domain/reflection/BuiltInFacets.ts"
import { repeatMillis } from "../../src/domain/reflection/FacetDeclaration.ts"
import * as Outcome from "../../src/domain/reflection/Outcome.ts"
import { decide } from "../../src/domain/turn/decide.ts"
import * as Draft from "../../src/domain/turn/Draft.ts"
import { env } from "../turn/Scene.ts"

const facet = builtInFacet("capacity")
const reflected = Outcome.fired(facet, {
  about: "host:1",
  sentence: "host 1 rests",
  followUp: "look_again",
  evidence: { free_slots: 3 },
  suggestion: null
})

const asEvent = (draft: EventDraft): LifecycleEvent => ({
  ...draft,
  sequence: 1,
  eventId: "store0:1",
  jobId: null,
  correlationId: null
})

const written = (at: number) => {
  const draft = Draft.begin(new Map())
  decide(draft, { _tag: "Reflected", reflected }, { ...env, now: at })
  return draft
}

describe("a firing", () => {
  it("becomes a record of the host, outside the chains, and nothing else", () => {
    const { changes, commands, notes, owned } = written(7)
    assert.deepStrictEqual([changes.size, owned.size, commands.length, notes.length], [0, 0, 0, 1])
    assert.deepInclude(notes[0], {
      seq: null,
      subjectKind: "host",
      event: "facet_fired",
      fromState: null,
      toState: null,
      transitionReason: "capacity",
      errorCode: null,
      actor: env.actor,
      occurredAt: 7
    })
  })

  it("is read back as it was said", () => {
    const [note] = written(7).notes
    assert.isDefined(note)
    if (note === undefined) return
    assert.deepStrictEqual(Option.getOrNull(Outcome.detailIn(asEvent(note))), {
      facet: "capacity",
      about: "host:1",
      sentence: "host 1 rests",
      follow_up: "look_again",
      suggestion: null,
      policy: "@muster/fleet/policy/reflection.md#capacity",
      evidence: { free_slots: 3 }
    })
  })

  it("is not found in other events, nor in one that somebody has spoiled", () => {
    const [note] = written(7).notes
    if (note === undefined) return assert.fail("nothing was written")
    const event = asEvent(note)
    for (const differs of [
      { event: "breaker_open" },
      { subjectKind: "job" as const },
      { detail: "{" },
      { detail: null }
    ])
      assert.isTrue(Option.isNone(Outcome.detailIn({ ...event, ...differs })))
    assert.deepStrictEqual(Outcome.saidIn([event, { ...event, event: "other" }]), [
      { facet: "capacity", about: "host:1", at: 7 }
    ])
  })
})

describe("the same once more", () => {
  const now = 10 * repeatMillis.brisk
  const said = { facet: "capacity", about: "host:1", at: now - 1_000 }
  const repeated = (before: Partial<Outcome.Said> = {}, quietAt: number | null = null) =>
    Outcome.isRepeated(reflected, facet, [{ ...said, ...before }], quietAt, now)

  it("is a repetition, until the window of repetitions is over", () => {
    assert.isTrue(repeated())
    assert.isTrue(repeated({ at: now - repeatMillis.brisk + 1 }))
    assert.isFalse(repeated({ at: now - repeatMillis.brisk }))
  })

  it("is news about another thing, from another facet, and after a silence", () => {
    assert.isFalse(repeated({ about: "host:2" }))
    assert.isFalse(repeated({ facet: "bank-freshness" }))
    assert.isFalse(repeated({}, now - 500))
    assert.isTrue(repeated({}, now - 1_500))
  })

  it("is no repetition of what a clock ahead of ours has written long from now", () => {
    assert.isFalse(repeated({ at: now + repeatMillis.brisk }))
  })
})

describe("a facet without its policy", () => {
  it("is skipped aloud: who, and what leads nowhere", () => {
    const skipped = Outcome.unfounded(facet, "no_anchor")
    assert.deepInclude(skipped, { event: "facet_skipped", reason: "policy_missing", followUp: "tell" })
    assert.include(skipped.sentence, "@muster/fleet/policy/reflection.md#capacity")
    assert.include(skipped.sentence, "no_anchor")
  })
})
