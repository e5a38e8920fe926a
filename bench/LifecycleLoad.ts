/** The jobs of the lifecycle benchmark: keys and fingerprints as long as the hashes that they are in real life, and in no order. */
import type { NewJob } from "@muster/core"

export const newJobs = (
  workflowType: string,
  first: number,
  count: number,
  priorities: number
): ReadonlyArray<NewJob> =>
  Array.from({ length: count }, (_, offset) => {
    const index = first + offset
    const hash = Math.imul(index + 1, 2_654_435_761) >>> 0
    return {
      workflowType,
      idempotencyKey: `${hash.toString(16).padStart(8, "0")}${String(index).padStart(56, "0")}`,
      payloadFingerprint: String(index).padStart(64, "f"),
      payload: JSON.stringify({ index }),
      priority: index % priorities,
      runAt: 0,
      maxRetries: 4,
      correlationId: null,
      traceContext: null,
      replayOf: null,
      actor: "operator:bench"
    }
  })
