/**
 * The fleet's specification as `muster spec --json` tells it: the five outputs of the seed "Orchestrator Lifecycle Reliability".
 */
import * as Schema from "effect/Schema"
import { GovernanceJson } from "./GovernanceJson.ts"
import { PhaseJson } from "./MachineJson.ts"
import { BackoffJson, ReactionJson } from "./ReactionJson.ts"

const StateMachineJson = Schema.Struct({
  name: Schema.String,
  initial: Schema.String,
  states: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      terminal: Schema.Literals(["never_left", "unless_quarantined", "no"]).annotate({
        description: "unless_quarantined: its story is over where the code asks for no dead letter"
      }),
      meaning: Schema.String
    })
  ),
  creation: Schema.Struct({ event: Schema.String, reasons: Schema.Array(Schema.String) }),
  transitions: Schema.Array(
    Schema.Struct({
      from: Schema.String,
      event: Schema.String,
      to: Schema.String,
      reasons: Schema.Array(Schema.String).annotate({
        description: "Every transition_reason that it may have"
      })
    })
  ),
  forbidden: Schema.Array(Schema.Struct({ from: Schema.String, to: Schema.Array(Schema.String) })).annotate({
    description: "From each state the states that nothing leads to at once"
  }),
  illegal_move: Schema.String.annotate({ description: "The code of a move that the table doesn't have" }),
  rules: Schema.Array(Schema.String).annotate({ description: "What else every move is held to" }),
  phases: Schema.Array(PhaseJson),
  mermaid: Schema.String
})

const IdempotencyJson = Schema.Struct({
  key: Schema.Struct({
    default: Schema.String,
    own: Schema.String,
    unique_by: Schema.Array(Schema.String),
    guarded_by: Schema.String
  }),
  same_payload: Schema.Array(
    Schema.Struct({
      state: Schema.String,
      answer: Schema.Literals(["stored_result", "final_status", "current_status"]),
      runs_again: Schema.Literal(false)
    })
  ).annotate({ description: "What a submission gets whose key a job in this state has" }),
  other_payload: Schema.Struct({ code: Schema.String, runs_again: Schema.Literal(false) }),
  after_replay: Schema.String,
  side_effects: Schema.Struct({
    rule: Schema.String,
    key: Schema.String,
    max_steps: Schema.Int,
    max_result_bytes: Schema.Int,
    unknown_outcome: Schema.Array(Schema.Struct({ policy: Schema.String, meaning: Schema.String }))
  })
})

export const SpecJson = Schema.Struct({
  store: Schema.String,
  configuration: Schema.NullOr(Schema.String).annotate({
    description: "The file that was read; null for none"
  }),
  workflows: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      configured: Schema.Boolean.annotate({
        description: "False: only the store knows it, and the defaults are told"
      }),
      max_retries: Schema.Int,
      unknown_outcome: Schema.String
    })
  ),
  state_machines: Schema.Array(StateMachineJson),
  invariants: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      sentence: Schema.String,
      source: Schema.String.annotate({ description: "A seed or a rule" }),
      verified_by: Schema.String.annotate({ description: "A checker of the model, or muster audit" })
    })
  ),
  idempotency: IdempotencyJson,
  reactions: Schema.Array(ReactionJson),
  backoff: Schema.Array(BackoffJson),
  governance: GovernanceJson,
  decisions: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      question: Schema.String,
      answer: Schema.String,
      exceptions: Schema.Array(Schema.String).annotate({
        description: "Codes for which it is otherwise than for their kind"
      }),
      held_by: Schema.Array(Schema.String).annotate({ description: "Ids of invariants" })
    })
  ).annotate({ description: "What the seed wants decided" }),
  ruled_out: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      sentence: Schema.String,
      held_by: Schema.Array(Schema.String).annotate({ description: "Ids of invariants" })
    })
  ).annotate({ description: "What the seed calls anti-patterns" })
})
export type SpecJson = typeof SpecJson.Type
