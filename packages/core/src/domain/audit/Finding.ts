/**
 * What the audit finds, as data: which rule doesn't hold, of what, and what was seen instead.
 */
import type { AuditRuleId } from "./AuditRule.ts"

/** `fault`: a promise is broken. `note`: it stands so until a host runs again, or for less than a lease yet. */
export type AuditSeverity = "fault" | "note"

export interface Finding {
  readonly rule: AuditRuleId
  readonly severity: AuditSeverity
  /** `kind:id`: a job, an agent, a host, an event, an intent, or the store. */
  readonly subject: string
  /** What was seen, in words. */
  readonly detail: string
}

/** Gathers findings: one a rule and subject, however often it is seen, so that a damaged chain doesn't drown the rest. */
export class Findings {
  private readonly first = new Map<string, Finding>()
  private readonly more = new Map<string, number>()

  add(rule: AuditRuleId, subject: string, detail: string, severity: AuditSeverity = "fault"): void {
    const key = `${rule} ${subject}`
    if (this.first.has(key)) this.more.set(key, (this.more.get(key) ?? 0) + 1)
    else this.first.set(key, { rule, severity, subject, detail })
  }

  get all(): ReadonlyArray<Finding> {
    return Array.from(this.first, ([key, finding]) => {
      const more = this.more.get(key)
      return more === undefined ? finding : { ...finding, detail: `${finding.detail} (and ${more} more)` }
    })
  }
}
