/**
 * Whether a letter may be replayed, or was, in a few words.
 */
import type { LetterRow } from "@muster/core"

export const replayLine = (letter: LetterRow & { readonly replayed_by: number | null }): string => {
  if (letter.replayed_by !== null) return `replayed by job ${letter.replayed_by}`
  if (letter.discarded_at !== null) return "discarded: it is not replayed any more"
  return letter.replay_eligible === 0
    ? "not eligible for replay: muster dlq allow"
    : "eligible for replay: muster dlq replay"
}
