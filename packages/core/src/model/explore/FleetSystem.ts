/**
 * The fleet as a system to search: a small world within bounds, and the faults that it has left.
 */
import type { Catalogue } from "../../domain/ErrorCatalogue.ts"
import type { WorkflowPolicy } from "../../domain/WorkflowPolicy.ts"
import type { Act } from "../world/Act.ts"
import { type Behaviour, real } from "../world/Behaviour.ts"
import { submit } from "../world/Operators.ts"
import { step } from "../world/Step.ts"
import { create, enlist, type World } from "../world/World.ts"
import { withoutVoid, worldKey } from "./FleetKey.ts"
import { type Bounds, fleetMoves } from "./FleetMoves.ts"
import { type Parts, worldNormal } from "./FleetNormal.ts"
import type { System } from "./System.ts"

export interface FleetState {
  readonly world: World
  /** Faults that may still come. */
  readonly faults: number
}

export interface FleetOptions {
  readonly bounds: Bounds
  readonly workflow: WorkflowPolicy
  readonly catalogue: Catalogue
  /** Jobs and hosts may change their numbers: not where liveness is said of one of them. */
  readonly symmetric: boolean
  readonly behaviour?: Behaviour
}

/** All hosts are there, and all jobs handed in. None is due: that it becomes so is what its arrival would be. */
const initial = ({ behaviour, bounds, catalogue, workflow }: FleetOptions): World => {
  const rules = {
    catalogue,
    workflows: new Map([[workflow.name, workflow]]),
    seed: 1,
    slots: bounds.slots,
    ...(behaviour === undefined ? {} : { behaviour })
  }
  let world = create(rules)
  for (let host = 1; host <= bounds.hosts; host++) world = enlist(world, host)
  for (let job = 1; job <= bounds.jobs; job++)
    world = submit(world, {
      workflowType: workflow.name,
      payload: "1",
      priority: 0,
      maxRetries: bounds.retries,
      runAt: world.now + 1_000
    })
  return world
}

/** Where fencing tokens are not incarnations, the key has them and the epochs themselves, and each state stands for itself. */
const tokenKey = ({ hosts, jobs }: World): string =>
  `${hosts.map(({ epoch }) => epoch).join()};${Array.from(jobs.values(), ({ token }) => token).join()}`

export const fleetSystem = (options: FleetOptions): System<FleetState, Act> => {
  const { bounds, symmetric } = options
  const free = new Set<string>(bounds.free)
  const parts: Parts = new Map()
  const without = new Set<string>(bounds.without)
  return {
    initial: { world: initial(options), faults: bounds.faults },
    *successors({ faults, world }) {
      for (const { act, fault } of fleetMoves(world, bounds)) {
        const costs = fault !== null && !free.has(fault)
        if ((costs && faults === 0) || (fault !== null && without.has(fault))) continue
        const after = step(world, act)
        if (after !== world)
          yield [act, { world: withoutVoid(after), faults: costs ? faults - 1 : faults }] as const
      }
    },
    ...(options.behaviour === undefined || options.behaviour.fencingToken === real.fencingToken
      ? {
          key: ({ faults, world }: FleetState) => `${faults}${worldKey(world, symmetric)}`,
          normal: ({ faults, world }: FleetState) => ({ faults, world: worldNormal(world, symmetric, parts) })
        }
      : {
          key: ({ faults, world }: FleetState) => `${faults}${worldKey(world, false)}${tokenKey(world)}`
        })
  }
}
