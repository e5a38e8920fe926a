/**
 * A model: lanes, seams, machines, facets and invariants, checked where they refer to each other. Hosts build their own with it, over their
 * own states; `FleetModel.ts` holds Muster's.
 */
import { Result } from "effect"
import { ConfigInvalid } from "../domain/errors/ConfigErrors.ts"
import type { Machine } from "../domain/Machine.ts"
import type { FacetDeclaration } from "../domain/reflection/FacetDeclaration.ts"
import { type Invariant, isOf } from "./Invariant.ts"
import type { Lane } from "./Lane.ts"
import { carriers, type Seam } from "./Seam.ts"
import type { Tier } from "./Tier.ts"

export interface Model<State, LaneId extends string = string> {
  readonly name: string
  readonly lanes: ReadonlyArray<Lane<LaneId>>
  /** The closed set that the seams take their carriers from. */
  readonly carriers: ReadonlyArray<string>
  readonly seams: ReadonlyArray<Seam<LaneId>>
  /** The very tables that move the states. */
  readonly machines: ReadonlyArray<Machine>
  /** The reflections, as nodes: what is declared of each, apart from what it does. */
  readonly facets: ReadonlyArray<FacetDeclaration>
  readonly invariants: ReadonlyArray<Invariant<State, Tier, LaneId>>
}

export interface Declaration<State, LaneId extends string> {
  readonly name: string
  readonly lanes: ReadonlyArray<Lane<LaneId>>
  /** Left out: those of Muster. */
  readonly carriers?: ReadonlyArray<string>
  readonly seams: ReadonlyArray<Seam<NoInfer<LaneId>>>
  readonly machines: ReadonlyArray<Machine>
  readonly facets?: ReadonlyArray<FacetDeclaration>
  readonly invariants: ReadonlyArray<Invariant<State, Tier, NoInfer<LaneId>>>
}

type Problem = readonly [path: string, detail: string]

const twice = (kind: string, names: ReadonlyArray<string>): ReadonlyArray<Problem> =>
  names.flatMap((name, index): ReadonlyArray<Problem> =>
    names.indexOf(name) === index ? [] : [[`${kind}["${name}"]`, "it is declared twice"]]
  )

const problems = (model: Model<never>): ReadonlyArray<Problem> => {
  const lanes = new Set(model.lanes.map(({ id }) => id))
  const unknown = (path: string, lane: string): ReadonlyArray<Problem> =>
    lanes.has(lane) ? [] : [[path, `there is no lane "${lane}" among ${Array.from(lanes).join(", ")}`]]
  return [
    ...twice(
      "lanes",
      model.lanes.map(({ id }) => id)
    ),
    ...twice("carriers", model.carriers),
    ...twice(
      "seams",
      model.seams.map(({ id }) => id)
    ),
    ...twice(
      "machines",
      model.machines.map(({ name }) => name)
    ),
    ...twice(
      "facets",
      model.facets.map(({ key }) => key)
    ),
    ...twice(
      "invariants",
      model.invariants.map(({ id }) => id)
    ),
    ...model.seams.flatMap(({ carrier, from, id, to }): ReadonlyArray<Problem> => [
      ...unknown(`seams["${id}"].from`, from),
      ...unknown(`seams["${id}"].to`, to),
      ...(model.carriers.includes(carrier)
        ? []
        : [
            [
              `seams["${id}"].carrier`,
              `there is no carrier "${carrier}" in the closed set ${model.carriers.join(", ")}`
            ] as const
          ])
    ]),
    ...model.invariants.flatMap(({ id, lanes: actors }): ReadonlyArray<Problem> => [
      ...actors.flatMap((lane) => unknown(`invariants["${id}"].lanes`, lane)),
      ...twice(`invariants["${id}"].lanes`, actors)
    ])
  ]
}

/** Builds a model. A name that is not declared, or is declared twice, is `ORCH_CONFIG_INVALID`, which says where it stands. */
export const make = <State, const LaneId extends string>(
  declaration: Declaration<State, LaneId>
): Result.Result<Model<State, LaneId>, ConfigInvalid> => {
  const model = { facets: [], carriers: Object.keys(carriers), ...declaration }
  const [first] = problems(model)
  return first === undefined
    ? Result.succeed(model)
    : Result.fail(new ConfigInvalid({ path: first[0], detail: first[1] }))
}

/** Like `make`, for a model that is written down in code: what is wrong with it is thrown. */
export const makeUnsafe = <State, const LaneId extends string>(
  declaration: Declaration<State, LaneId>
): Model<State, LaneId> => Result.getOrThrow(make(declaration))

/** The invariants that one tier's checker is to decide. */
export const ofTier = <State, LaneId extends string, T extends Tier>(
  model: Model<State, LaneId>,
  tier: T
): ReadonlyArray<Invariant<State, T, LaneId>> => model.invariants.filter(isOf(tier))
