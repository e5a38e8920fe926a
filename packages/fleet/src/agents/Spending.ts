/**
 * What the agents of this host have reported of themselves, all together, since it started (R32, `usage` lines).
 */
import type { AgentEvent } from "@muster/core"
import type { Vitals } from "./Vitals.ts"

/** Tokens, and cost in US dollars; null where nobody has reported any. */
export interface Spent {
  readonly inputTokens: number | null
  readonly outputTokens: number | null
  readonly cost: number | null
}

const fields = ["inputTokens", "outputTokens", "cost"] as const

export class Spending {
  #spent: Spent = { inputTokens: null, outputTokens: null, cost: null }

  /** Takes a report, before it replaces what the agent has reported earlier in this incarnation. */
  take(event: Extract<AgentEvent, { readonly _tag: "Usage" }>, before: Vitals): void {
    const spent = { ...this.#spent }
    for (const field of fields) {
      const reported = event[field]
      if (reported !== null && Number.isFinite(reported))
        spent[field] = (spent[field] ?? 0) + reported - (before[field] ?? 0)
    }
    this.#spent = spent
  }

  get all(): Spent {
    return this.#spent
  }
}
