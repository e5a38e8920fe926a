/**
 * The five outputs that the seed "Orchestrator Lifecycle Reliability" asks for, of a fleet as it is configured and as its store stands. Every
 * part is read off the tables, the catalogue and the defaults that run the fleet; there is no second list. Names are those of JSON.
 */
import type { Catalogue } from "../ErrorCatalogue.ts"
import type { WorkflowPolicy } from "../WorkflowPolicy.ts"
import { type DecisionSpec, decisionSpecs, ruledOut, type RuledOutSpec } from "./decisionSpec.ts"
import { type GovernanceSpec, governanceSpec, type LetterCensus } from "./governanceSpec.ts"
import { type IdempotencySpec, idempotencySpec } from "./idempotencySpec.ts"
import { type MachineSpec, machineSpecs, type SpecInvariant } from "./machineSpec.ts"
import { type BackoffSpec, backoffSpecs, type ReactionSpec, reactionSpecs } from "./reactionSpec.ts"

/** A workflow that is configured or that the store has jobs of. */
export interface SpecWorkflow {
  readonly name: string
  /** What the decision knows of it; null for one that only the store knows, to which the defaults apply. */
  readonly policy: Pick<WorkflowPolicy, "maxRetries" | "unknownOutcome"> | null
}

export interface SpecInput {
  /** The store's path. */
  readonly store: string
  /** The configuration's file; null for none. */
  readonly configuration: string | null
  readonly workflows: ReadonlyArray<SpecWorkflow>
  readonly catalogue: Catalogue
  readonly invariants: ReadonlyArray<SpecInvariant>
  /** How often the store holds each code, by code. */
  readonly raised: ReadonlyMap<string, number>
  readonly letters: LetterCensus
}

export interface WorkflowSpec {
  readonly name: string
  readonly configured: boolean
  readonly max_retries: number
  readonly unknown_outcome: string
}

export interface FleetSpec {
  readonly store: string
  readonly configuration: string | null
  readonly workflows: ReadonlyArray<WorkflowSpec>
  readonly state_machines: ReadonlyArray<MachineSpec>
  readonly invariants: ReadonlyArray<SpecInvariant>
  readonly idempotency: IdempotencySpec
  readonly reactions: ReadonlyArray<ReactionSpec>
  readonly backoff: ReadonlyArray<BackoffSpec>
  readonly governance: GovernanceSpec
  /** The seed's decision points, and its anti-patterns. */
  readonly decisions: ReadonlyArray<DecisionSpec>
  readonly ruled_out: ReadonlyArray<RuledOutSpec>
}

/** The whole specification. */
export const fleetSpec = (
  input: SpecInput,
  defaults: Omit<WorkflowSpec, "name" | "configured">
): FleetSpec => {
  const workflows = input.workflows.map(({ name, policy }): WorkflowSpec => ({
    name,
    configured: policy !== null,
    max_retries: policy?.maxRetries ?? defaults.max_retries,
    unknown_outcome: policy?.unknownOutcome ?? defaults.unknown_outcome
  }))
  const budgets = workflows.length === 0 ? [{ name: "any", ...defaults }] : workflows
  const reactions = reactionSpecs(input.catalogue, budgets, input.raised)
  return {
    store: input.store,
    configuration: input.configuration,
    workflows,
    state_machines: machineSpecs(),
    invariants: input.invariants,
    idempotency: idempotencySpec(),
    reactions,
    backoff: backoffSpecs(input.catalogue),
    governance: governanceSpec(input.catalogue, input.letters),
    decisions: decisionSpecs(reactions),
    ruled_out: ruledOut
  }
}
