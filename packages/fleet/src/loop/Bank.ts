/**
 * The fleet's snapshot, which the store keeps for whoever asks while no host answers. Banked when the freshness window has lapsed, or when
 * what holds work back is not what the last one says.
 */
import { defaults, type HostRow, Intent, Store, type TallyRows, usedSlots } from "@muster/core"
import { Effect } from "effect"
import * as Breakers from "./Breakers.ts"
import type { Turn } from "./Turn.ts"

export interface Snapshot {
  /** JSON text. */
  readonly text: string
  /** Epoch ms. */
  readonly at: number
  /** What it says of what holds work back. */
  readonly as: string
}

/** `tallied`: told what the store has counted for a snapshot. */
export const make = Effect.fnUntraced(function* (
  host: HostRow,
  turn: Turn,
  now: () => number,
  tallied: (tally: TallyRows) => void
) {
  const store = yield* Store
  const { state } = turn
  let banked: Pick<Snapshot, "as" | "at"> = { at: Number.NEGATIVE_INFINITY, as: "" }
  return {
    /** Null while the last one is fresh. */
    due: Effect.suspend(() => {
      const at = now()
      const slots = turn.slots()
      const mode = Intent.modeOf(state.control, !state.refills)
      const breakers = Breakers.openOf(state.breakers).map(
        ({ failures, openedAt, probeAt, state: stands, workflowType }) => ({
          workflow_type: workflowType,
          state: stands,
          opened_at: openedAt,
          probe_at: probeAt,
          failures
        })
      )
      const { scarce } = state
      const as = JSON.stringify([mode, slots, breakers, scarce])
      // A clock that was set back makes nothing fresh.
      if (as === banked.as && Math.abs(at - banked.at) < defaults.bankMillis) return Effect.succeed(null)
      return Effect.map(store.tally(at), (tally): Snapshot => {
        tallied(tally)
        const text = JSON.stringify({
          host: host.host,
          mode,
          slots,
          used_slots: usedSlots(state.owned),
          owned: state.owned.size,
          workflows: turn.names,
          breakers,
          scarce,
          ...tally
        })
        return { text, at, as }
      })
    }),
    /** It is in the store. */
    done: (snapshot: Snapshot): void => {
      banked = snapshot
    }
  }
})
