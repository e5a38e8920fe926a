/**
 * How many changes one commit may hold, so that it takes about as long as it may (R15): while it lasts, the event loop waits, and so does
 * every other host of the store. Learnt from the commits themselves, since rows, disks and machines differ.
 */
import { defaults } from "@muster/core"

/** Fewer are never asked for: below that the commit's own cost outweighs its rows, and cutting it wins nothing. */
const least = 200

export class CommitPace {
  #most: number = defaults.commit.changes

  /** Changes and inserts of the next commit, at most. */
  get most(): number {
    return this.#most
  }

  /** A commit of so many changes and inserts has taken so many nanoseconds. */
  took(changes: number, nanos: bigint): void {
    // A short one says nothing of what a long one takes.
    if (changes < least) return
    const millis = Number(nanos) / 1e6
    const { changes: ceiling, millis: allowed } = defaults.commit
    // One that held more than it may, being indivisible, doesn't raise what the next may hold.
    if (millis > allowed)
      this.#most = Math.min(ceiling, Math.max(least, Math.floor((changes * allowed) / millis)))
    // One slow commit on a busy machine is soon forgotten.
    else if (millis < allowed / 2) this.#most = Math.min(ceiling, Math.max(this.#most, 2 * changes))
  }
}
