/**
 * What the checkers say of the model, as `muster model check --json` tells it.
 */
import { forms, tiers, type Trace, tellTrace, type Verdict } from "@muster/core/model"
import * as Schema from "effect/Schema"

export const ModelCheckJson = Schema.Struct({
  scenes: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      about: Schema.String,
      tier: Schema.Literals(["exhaustive", "temporal"]),
      hosts: Schema.Int,
      slots: Schema.Int.annotate({ description: "Of each host" }),
      jobs: Schema.Int,
      retries: Schema.Int.annotate({ description: "Of each job" }),
      faults: Schema.Int.annotate({ description: "In all, of whatever kinds" }),
      free: Schema.Array(Schema.String).annotate({ description: "Faults that come as often as they like" }),
      without: Schema.Array(Schema.String).annotate({ description: "Faults that don't come" }),
      states: Schema.Int.annotate({ description: "That were reached, each counted once" }),
      steps: Schema.Int.annotate({ description: "That were tried" }),
      depth: Schema.Int.annotate({ description: "Steps to the farthest state" })
    })
  ),
  verdicts: Schema.Array(
    Schema.Struct({
      invariant: Schema.String,
      form: Schema.Literals(forms),
      tier: Schema.Literals(tiers),
      explored: Schema.Int,
      unit: Schema.Literals(["states", "walks"]),
      verdict: Schema.Literals(["holds", "broken", "unfinished"]).annotate({
        description: "unfinished: nothing is broken as far as the bounds let it look"
      }),
      trace: Schema.Array(Schema.String).annotate({
        description: "How it comes to be broken, line by line; else empty"
      })
    })
  )
})
export type ModelCheckJson = typeof ModelCheckJson.Type

const lines = (trace: Trace | null): ReadonlyArray<string> => (trace === null ? [] : tellTrace(trace))

export const verdictJson = (one: Verdict): ModelCheckJson["verdicts"][number] => ({
  invariant: one.invariant,
  form: one.form,
  tier: one.tier,
  explored: one.explored.count,
  unit: one.explored.unit,
  verdict: one.verdict,
  trace: lines(one.trace)
})
