/**
 * How a job ended: its result or its letter, and neither where none is due (R3, R31; seed, "Dead-Letter Contract").
 */
import { Result } from "effect"
import type { Catalogue } from "../ErrorCatalogue.ts"
import type { Job } from "../Job.ts"
import type { Dossier } from "./Dossier.ts"
import type { Findings } from "./Finding.ts"

/** A job that failed so has a letter, whatever the row of its code says. */
const mandatory: ReadonlySet<string | null> = new Set([
  "retry_budget_exhausted",
  "restart_budget_exhausted",
  "invariant_broken"
])

const demandsLetter = (job: Job, failReason: string | null, catalogue: Catalogue): string | null => {
  if (mandatory.has(failReason)) return String(failReason)
  if (job.lastErrorCode === null) return null
  const { policy } = catalogue.lookup(job.lastErrorCode)
  if (policy.severity === "critical") return `${job.lastErrorCode} is critical`
  return policy.quarantine ? `${job.lastErrorCode} is quarantined` : null
}

const isJson = (text: string): boolean => Result.isSuccess(Result.try((): unknown => JSON.parse(text)))

const checkContext = ({ job, letter, payload }: Dossier, found: Findings): void => {
  if (letter === null) return
  const subject = `job:${job.jobId}`
  const missing = [
    ...(letter.failureErrorCode === "" ? ["failure_error_code"] : []),
    ...(letter.failureSummary === "" ? ["failure_summary"] : []),
    ...(payload !== null && isJson(payload) ? [] : ["payload"]),
    ...(job.workflowType === "" ? ["workflow_type"] : []),
    ...(job.idempotencyKey === "" ? ["idempotency_key"] : []),
    ...(job.correlationId === "" ? ["correlation_id"] : [])
  ]
  if (missing.length > 0) found.add("letter-context", subject, `its letter lacks ${missing.join(", ")}`)
  if (letter.finalState !== "FAILED")
    found.add("letter-context", subject, `its letter says that it was ${letter.finalState} before quarantine`)
  if (job.lastErrorCode !== null && letter.failureErrorCode !== job.lastErrorCode)
    found.add(
      "letter-context",
      subject,
      `its letter names ${letter.failureErrorCode}, its row ${job.lastErrorCode}`
    )
}

/** @param failReason the reason of the job's move to FAILED; null where there is none */
export const checkOutcome = (
  dossier: Dossier,
  failReason: string | null,
  catalogue: Catalogue,
  found: Findings
): void => {
  const { job, letter, result } = dossier
  const subject = `job:${job.jobId}`
  if (job.state === "COMPLETED") {
    if (result === null) found.add("result-missing", subject, "it is COMPLETED without a result")
  } else if (result !== null) {
    found.add("result-misplaced", subject, `it is ${job.state} and has a result`)
  }
  if (job.state === "DEAD_LETTERED") {
    if (letter === null) found.add("letter-missing", subject, "it is DEAD_LETTERED without a letter")
  } else if (letter !== null) {
    found.add("letter-misplaced", subject, `it is ${job.state} and has a letter`)
  } else if (job.state === "FAILED") {
    const why = demandsLetter(job, failReason, catalogue)
    if (why !== null) found.add("letter-missing", subject, `it is FAILED without a letter: ${why}`)
  }
  checkContext(dossier, found)
}
