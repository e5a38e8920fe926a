/**
 * Keys for a wanted second run (R34): each line's key with the run's id behind it, so that lines of one operation are still one job within
 * the run, and another job than in any other run.
 */
import { createHash } from "node:crypto"
import { canonicalJson, Idempotency, limits, type Submission } from "@muster/core"
import { Result } from "effect"
import type { JobLine } from "./JobLine.ts"

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

const keyOf = ({ idempotencyKey, payload, workflowType }: Submission): string =>
  idempotencyKey ??
  // a line whose payload has no canonical form is a bad one and never gets here
  sha256(
    Idempotency.keyMaterial(
      workflowType,
      Result.getOrElse(canonicalJson(payload), () => "")
    )
  )

/** The lines under keys of their own. `runId` must be another one for each run. */
export const freshKeys = (lines: ReadonlyArray<JobLine>, runId: string): ReadonlyArray<JobLine> =>
  lines.map((line) => {
    const key = keyOf(line.submission)
    const short = key.length + runId.length + 1 > limits.keyLength ? sha256(key) : key
    return { ...line, submission: { ...line.submission, idempotencyKey: `${short}@${runId}` } }
  })
