/** The fleet as random walks go through it: two hosts, whatever may happen to them, and then a host that works all off. */
import type { Catalogue } from "../../domain/ErrorCatalogue.ts"
import type { Act } from "../world/Act.ts"
import { type Bounds, choose, enabled } from "../world/Acts.ts"
import { step } from "../world/Step.ts"
import { tellStep } from "../world/Telling.ts"
import { create, isDone, type Rules, type World } from "../world/World.ts"
import type { Walks } from "./Walks.ts"
import { walkWorkflows } from "./WalkWorkflows.ts"

/** Rounds of a host that works all off; more would mean that it never ends. */
const rounds = 100

/** All hosts are gone, and a new one adopts: every phase ends well, every signal is heard, every question is answered. */
export function* settle(before: World, bounds: Bounds): Generator<Act, void, World> {
  let world = before
  for (const { epoch, runs } of before.hosts) if (runs) world = yield { _tag: "Crash", epoch }
  yield { _tag: "Resume" }
  world = yield { _tag: "Enlist", host: 1 }
  const epoch = world.hosts.at(-1)?.epoch ?? 0
  for (let round = 0; round < rounds; round++) {
    yield { _tag: "Adopt", epoch }
    yield { _tag: "Look", epoch }
    world = yield { _tag: "Turn", epoch, most: 1_000 }
    for (const act of enabled(world, "Answer", bounds)) world = yield act
    for (const { seq, stopping } of world.hosts.at(-1)?.fibers.values() ?? []) {
      const good = enabled(world, stopping ? "End" : "Finish", bounds).find(
        (act) => "seq" in act && act.seq === seq
      )
      if (good !== undefined) world = yield good
    }
    if (isDone(world) && world.cancels.every(({ outcome }) => outcome !== null)) return
    world = yield { _tag: "Wait", millis: 60_000 }
  }
}

/** @param catalogue the codes that the fleet reacts by */
export const walkRules = (catalogue: Catalogue): Rules => ({
  catalogue,
  workflows: walkWorkflows,
  seed: 7,
  slots: 2
})

export const walkBounds: Bounds = { jobs: 15, hosts: 2 }

export const fleetWalks = (rules: Rules, bounds: Bounds = walkBounds): Walks<World, Act> => ({
  initial: [1, 2].reduce((world, host) => step(world, { _tag: "Enlist", host }), create(rules)),
  choose: (world, dice, pick) => choose(world, bounds, dice, pick),
  step,
  settle: (world) => settle(world, bounds),
  tell: tellStep
})
