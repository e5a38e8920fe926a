/**
 * What an audit finds, and what it has read, as `muster audit --json` tells them.
 */
import { auditRules, type Finding, type StoreAudited } from "@muster/core"
import * as Schema from "effect/Schema"
import { whereToLook } from "../output/WhereToLook.ts"

export const FindingJson = Schema.Struct({
  rule: Schema.Literals(auditRules.map(({ id }) => id)),
  severity: Schema.Literals(["fault", "note"]).annotate({
    description: "note: it stands so until a host runs again, or hasn't stood so for long"
  }),
  subject: Schema.String.annotate({
    description: "kind:id of a job, an agent, a host, an event, an intent or the store"
  }),
  detail: Schema.String.annotate({ description: "What was seen" }),
  look: Schema.String.annotate({ description: "The command that shows it" })
})
export type FindingJson = typeof FindingJson.Type

export const AuditSummaryJson = Schema.Struct({
  clean: Schema.Boolean.annotate({ description: "No fault, and all could be judged" }),
  jobs: Schema.Int.annotate({ description: "Jobs that were read" }),
  events: Schema.Int.annotate({ description: "Events that were read" }),
  records: Schema.Int.annotate({ description: "Retry rows, letters and markers that were read" }),
  faults: Schema.Int,
  notes: Schema.Int,
  left_out: Schema.Int.annotate({ description: "Findings beyond --limit" }),
  unjudged: Schema.Array(Schema.String).annotate({
    description: "What changed each time it was looked at (exit code 75 where nothing else is wrong)"
  })
})
export type AuditSummaryJson = typeof AuditSummaryJson.Type

export const findingJson = (finding: Finding): FindingJson => ({ ...finding, look: whereToLook(finding) })

export const auditSummaryJson = (audited: StoreAudited, shown: number): AuditSummaryJson => ({
  clean: audited.faults === 0 && audited.unjudged.length === 0,
  jobs: audited.jobs,
  events: audited.events,
  records: audited.records,
  faults: audited.faults,
  notes: audited.notes,
  left_out: audited.faults + audited.notes - shown,
  unjudged: audited.unjudged
})
