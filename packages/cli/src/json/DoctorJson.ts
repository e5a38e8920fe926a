/**
 * What `muster doctor` has found, as its `--json` tells it.
 */
import * as Schema from "effect/Schema"
import { checks, type Diagnosis, verdicts } from "../doctor/Diagnosis.ts"

export const DoctorJson = Schema.Struct({
  healthy: Schema.Boolean.annotate({ description: "Nothing is bad; else the command ends with 7" }),
  store: Schema.NullOr(Schema.String).annotate({ description: "Its file; null where nobody can say" }),
  fix: Schema.Boolean.annotate({ description: "Whether what harms no live holder was mended" }),
  diagnoses: Schema.Array(
    Schema.Struct({
      check: Schema.Literals(checks),
      verdict: Schema.Literals(verdicts).annotate({
        description:
          "warn: it works, and is to be known; bad: it doesn't, or won't for long; fixed: mended just now"
      }),
      found: Schema.String,
      advice: Schema.NullOr(Schema.String).annotate({ description: "What to do; null for nothing" })
    })
  )
})
export type DoctorJson = typeof DoctorJson.Type

export const isHealthy = (diagnoses: ReadonlyArray<Diagnosis>): boolean =>
  diagnoses.every(({ verdict }) => verdict !== "bad")
