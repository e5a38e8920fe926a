// A fault for each rule of the audit, planted below the store.
import type { AuditRule, AuditSeverity } from "@muster/core"
import type { JobName } from "./AuditScene.ts"

export interface Planted {
  readonly rule: AuditRule["id"]
  /** What is planted, for the test's name. */
  readonly fault: string
  /** The job or agent that is named; else the subject's text without the store's id. */
  readonly subject: JobName | { readonly text: string } | { readonly agentOf: JobName }
  readonly severity?: AuditSeverity
  readonly statements: ReadonlyArray<string>
  /** What else can't but be found. */
  readonly also?: ReadonlyArray<AuditRule["id"]>
}
