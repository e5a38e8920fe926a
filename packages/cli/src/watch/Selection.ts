/**
 * Which row of a pane is chosen, and how far the pane is scrolled: a row stays chosen as long as it is there, then the one in its place.
 */
import { type BoardState, type PaneName } from "./BoardState.ts"
import { rowsOf } from "./Layout.ts"
import type { PaneEntry } from "./panes/Pane.ts"
import { paneOf } from "./panes/panes.ts"

export interface Choice {
  /** From 0; 0 where there is no row. */
  readonly index: number
  /** Null: there is no row. */
  readonly entry: PaneEntry | null
}

export const choiceOf = (state: BoardState, pane: PaneName): Choice => {
  const entries = paneOf[pane].entries(state)
  const chosen = state.chosen[pane]
  const found = chosen === undefined ? 0 : entries.findIndex(({ id }) => id === chosen.id)
  const index = found >= 0 ? found : Math.max(0, Math.min(chosen?.index ?? 0, entries.length - 1))
  return { index, entry: entries[index] ?? null }
}

/** Rows that are scrolled past, so that the chosen one is in sight. */
export const topOf = (state: BoardState, pane: PaneName, height: number): number => {
  const total = paneOf[pane].entries(state).length
  const { index } = choiceOf(state, pane)
  const before = state.tops[pane] ?? 0
  const lowest = Math.max(0, index - height + 1)
  const within = Math.min(Math.max(before, lowest), index)
  return Math.max(0, Math.min(within, total - height))
}

/** The board with its choices and scrolls as they are now: after every look, key and resize. */
export const settled = (state: BoardState): BoardState => {
  const pane = state.pane
  const { entry, index } = choiceOf(state, pane)
  const chosen = state.chosen[pane]
  const top = topOf(state, pane, rowsOf(state, pane))
  const isSame = chosen === undefined || (chosen.index === index && chosen.id === (entry?.id ?? chosen.id))
  if (isSame && (state.tops[pane] ?? 0) === top) return state
  return {
    ...state,
    // who has chosen nothing yet stays at the first row
    chosen:
      chosen === undefined || entry === null
        ? state.chosen
        : { ...state.chosen, [pane]: { id: entry.id, index } },
    tops: { ...state.tops, [pane]: top }
  }
}

/** Moves the choice; to the end with an infinite step. */
export const moved = (state: BoardState, step: number): BoardState => {
  const entries = paneOf[state.pane].entries(state)
  if (entries.length === 0) return state
  const index = Math.max(0, Math.min(choiceOf(state, state.pane).index + step, entries.length - 1))
  const entry = entries[index]
  return entry === undefined
    ? state
    : { ...state, chosen: { ...state.chosen, [state.pane]: { id: entry.id, index } } }
}
