/** A model as a JSON document: all that is declared, in the names that JSON has elsewhere in Muster. Predicates are code and left out. */
import { type Edge, meaningsOf, type Phase } from "../domain/Machine.ts"
import type { FacetDeclaration } from "../domain/reflection/FacetDeclaration.ts"
import type { Model } from "./Model.ts"
import { carriers } from "./Seam.ts"
import type { Form } from "./Temporal.ts"
import type { Tier } from "./Tier.ts"

export interface ModelDocument {
  readonly name: string
  readonly lanes: ReadonlyArray<{ readonly id: string; readonly sentence: string }>
  /** The closed set; the sentence is empty for carriers that a host declares. */
  readonly carriers: ReadonlyArray<{ readonly id: string; readonly sentence: string }>
  readonly seams: ReadonlyArray<{
    readonly id: string
    readonly carrier: string
    readonly from: string
    readonly to: string
    readonly message: string
    readonly synchronous: boolean
    readonly carried_by: string
  }>
  readonly machines: ReadonlyArray<{
    readonly name: string
    readonly initial: string
    readonly states: ReadonlyArray<string>
    readonly final: ReadonlyArray<string>
    readonly creation: { readonly event: string; readonly reasons: ReadonlyArray<string> }
    readonly edges: ReadonlyArray<Edge<string, string>>
    readonly meanings: { readonly [state: string]: string }
    readonly phases: ReadonlyArray<Phase<string>>
  }>
  readonly facets: ReadonlyArray<{
    readonly key: string
    readonly holds: string
    readonly genre: FacetDeclaration["genre"]
    readonly status: FacetDeclaration["status"]
    readonly tempo: FacetDeclaration["tempo"]
    readonly policy: { readonly path: string; readonly anchor: string }
    readonly follow_ups: FacetDeclaration["followUps"]
  }>
  readonly invariants: ReadonlyArray<{
    readonly id: string
    readonly sentence: string
    readonly lanes: ReadonlyArray<string>
    readonly primitive: string
    readonly form: Form
    readonly hairy: boolean
    readonly tier: Tier
    readonly source: string
  }>
}

const known: { readonly [carrier: string]: string } = carriers

export const document = <State, LaneId extends string>(model: Model<State, LaneId>): ModelDocument => ({
  name: model.name,
  lanes: model.lanes.map(({ id, sentence }) => ({ id, sentence })),
  carriers: model.carriers.map((id) => ({ id, sentence: known[id] ?? "" })),
  seams: model.seams.map(({ carriedBy, carrier, from, id, message, synchronous, to }) => ({
    id,
    carrier,
    from,
    to,
    message,
    synchronous,
    carried_by: carriedBy
  })),
  machines: model.machines.map((machine) => ({
    name: machine.name,
    initial: machine.initial,
    states: machine.states,
    final: machine.final,
    creation: machine.creation,
    edges: machine.edges,
    meanings: meaningsOf(machine),
    phases: machine.phases ?? []
  })),
  facets: model.facets.map(({ followUps, genre, holds, key, policy, status, tempo }) => ({
    key,
    holds,
    genre,
    status,
    tempo,
    policy: { path: policy.path, anchor: policy.anchor },
    follow_ups: followUps
  })),
  invariants: model.invariants.map(({ hairy, id, lanes, primitive, sentence, source, temporal, tier }) => ({
    id,
    sentence,
    lanes,
    primitive,
    form: temporal.form,
    hairy,
    tier,
    source
  }))
})
