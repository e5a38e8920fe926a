/**
 * The environment of an agent's process: the host's own, the runner's additions, and what Muster says about the assignment.
 */
import type { Assignment } from "@muster/core"

type Environment = Readonly<Record<string, string>>

/** Said of each assignment anew. An agent that runs a fleet itself must not hand its own on. */
const ours = new Set([
  "MUSTER_JOB_ID",
  "MUSTER_IDEMPOTENCY_KEY",
  "MUSTER_ATTEMPT",
  "MUSTER_INCARNATION",
  "MUSTER_WORKSPACE",
  "MUSTER_FEEDBACK",
  "MUSTER_MARKERS",
  "MUSTER_TOKEN",
  "TRACEPARENT"
])

/** The system refuses a longer variable; 128 KiB on Linux. */
const longestFeedback = 65_536

/** What is inherited, with the runner's additions over it. Its secrets are what redaction looks for. */
export const inherited = (
  host: Readonly<Record<string, string | undefined>>,
  added: Environment
): Environment => {
  const known = Object.entries({ ...host, ...added }).filter(([name]) => !ours.has(name))
  return Object.fromEntries(known.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
}

/** As many reasons as fit, as a JSON array. */
const feedback = (reasons: ReadonlyArray<string>): string => {
  const fitting: Array<string> = []
  let bytes = 0
  for (const reason of reasons) {
    const text = JSON.stringify(reason)
    bytes += Buffer.byteLength(text) + 1
    if (bytes > longestFeedback) break
    fitting.push(text)
  }
  return `[${fitting.join(",")}]`
}

/** No variable can hold a NUL. */
const clean = (text: string): string => text.replaceAll("\0", "")

/** `markers`: the finished steps as JSON, null for none. */
export const ofAssignment = (
  base: Environment,
  assignment: Assignment,
  markers: string | null
): Environment => ({
  ...base,
  MUSTER_JOB_ID: clean(assignment.jobId),
  MUSTER_IDEMPOTENCY_KEY: clean(assignment.idempotencyKey),
  MUSTER_ATTEMPT: String(assignment.attempt),
  MUSTER_INCARNATION: String(assignment.incarnation),
  MUSTER_TOKEN: clean(assignment.token),
  ...(assignment.workspace === null ? {} : { MUSTER_WORKSPACE: clean(assignment.workspace.path) }),
  ...(assignment.traceContext === null ? {} : { TRACEPARENT: clean(assignment.traceContext) }),
  ...(assignment.feedback.length === 0 ? {} : { MUSTER_FEEDBACK: feedback(assignment.feedback) }),
  ...(markers === null ? {} : { MUSTER_MARKERS: clean(markers) })
})
