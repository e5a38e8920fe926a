/**
 * Waits between retries that a stage has the patience for. Hosts and the audit go by the same rows.
 */
import type { CatalogueRow } from "@muster/core"

const quick = { backoffBaseSeconds: 0.05, maxBackoffSeconds: 0.5 }

export const chaosCodes: ReadonlyArray<CatalogueRow> = [
  { code: "EXT_*", ...quick },
  { code: "ORCH_RETRYABLE_*", ...quick },
  { code: "ORCH_GATE_REJECTED", ...quick }
]
