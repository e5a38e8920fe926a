import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { isOver } from "../../src/domain/JobMachine.ts"
import { settle, walkBounds, walkRules } from "../../src/model/walks/FleetWalks.ts"
import type { Act } from "../../src/model/world/Act.ts"
import { choose } from "../../src/model/world/Acts.ts"
import { findings } from "../../src/model/world/Invariants.ts"
import { step } from "../../src/model/world/Step.ts"
import { decideTurn } from "../../src/model/world/Turns.ts"
import { create, isDone, type World } from "../../src/model/world/World.ts"
import { unlawful } from "../../src/ports/StoreMoves.ts"
import { compiled } from "./Scene.ts"

/** DQ_WORLD rests in FAILED, other permanent codes are quarantined. */
const catalogue = await compiled([{ code: "DQ_WORLD", quarantine: false }])
const rules = walkRules(catalogue)
const bounds = walkBounds

/** Freezes a value and all that is in it, so that a decision that writes into what it was given throws. Maps are left as they are. */
const freeze = <A>(value: A): A => {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const part of value instanceof Map ? value.values() : Object.values(value)) freeze(part)
  return value
}

/** The same inputs give the same decision, which no store refuses, and the world is as it was (R12; design, "One turn of the loop"). */
const decidesAlike = (world: World): void => {
  for (const { epoch } of world.hosts.filter(({ runs }) => runs)) {
    const owned = world.hosts.find((host) => host.epoch === epoch)?.owned
    const before = new Map(owned)
    const decided = decideTurn(world, epoch)
    assert.deepStrictEqual(decided, decideTurn(world, epoch))
    const { changes, notes } = decided.draft
    assert.isNull(unlawful({ fence: null, at: 0, changes: changes.values(), notes }))
    assert.deepStrictEqual(owned, before)
  }
}

/** A world and how it came to be. */
interface Story {
  readonly world: World
  readonly acts: ReadonlyArray<Act>
}

/** Lets an act happen and holds the world to its invariants; a broken one is told with the acts that led there. */
const sound = ({ acts, world }: Story, act: Act): Story => {
  const next = { world: freeze(step(world, act)), acts: [...acts, act] }
  const found = findings(next.world, world)
  if (found.length > 0)
    assert.fail([...found, "after", ...next.acts.map((done) => JSON.stringify(done))].join("\n"))
  return next
}

const number = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9_973 }))
/** Each pair chooses one act; 0 lets nothing happen, so that a failing walk shrinks to the acts that matter. */
const Walk = Arbitrary.array(Arbitrary.schema(Schema.Struct({ dice: number, pick: number })), {
  minLength: 120,
  maxLength: 250
})
/** Walks are long, and the machine may be busy. */
const runs = { arbitrary: { runs: 60, size: 250 }, timeout: 60_000 }

const begin = (): Story => {
  const first = sound({ world: create(rules), acts: [] }, { _tag: "Enlist", host: 1 })
  return sound(first, { _tag: "Enlist", host: 2 })
}

/** From here on nothing goes wrong any more: a new host adopts, every phase ends well, every signal is heard. */
const settled = (before: Story): Story => {
  let story = before
  const settling = settle(before.world, bounds)
  for (let next = settling.next(); next.done !== true; next = settling.next(story.world))
    story = sound(story, next.value)
  if (isDone(story.world) && story.world.cancels.every(({ outcome }) => outcome !== null)) return story
  return assert.fail(["not settled after", ...story.acts.map((act) => JSON.stringify(act))].join("\n"))
}

/** The story that a walk tells. */
const tell = (
  walk: ReadonlyArray<{ readonly dice: number; readonly pick: number }>,
  look: (world: World) => void
): Story => {
  let story = begin()
  for (const { dice, pick } of walk) {
    const act = dice === 0 ? undefined : choose(story.world, bounds, dice, pick)
    if (act === undefined) continue
    look(story.world)
    story = sound(story, act)
  }
  return story
}

describe("the decision, in a world of two hosts", () => {
  it.prop(
    "keeps every invariant whatever happens in whatever order, decides alike on equal inputs, writes into none of them, and moves by the tables (R1, R12)",
    [Walk],
    ([walk]) => void tell(walk, decidesAlike),
    runs
  )

  it.prop(
    "brings each job to its end and each agent to its tombstone, and answers every cancel, once nothing goes wrong any more",
    [Walk],
    ([walk]) => {
      const { world } = settled(tell(walk, () => {}))
      for (const { job } of world.jobs.values()) assert.isTrue(isOver(job.state))
    },
    runs
  )
})
