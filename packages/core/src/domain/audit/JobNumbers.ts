/**
 * A number for each job of a store, in a few bytes a job: what one pass over everything remembers for the next one.
 */

/** Job numbers below this have a place of their own, four bytes each; a number may be damaged, and then be anything. */
const dense = 2 ** 24

/** Counts by job number. */
export class JobCounts {
  /** Of all jobs. */
  total = 0
  private counts = new Uint32Array(1_024)
  private readonly rest = new Map<number, number>()

  add(seq: number): void {
    this.total++
    if (!(seq >= 0 && seq < dense)) {
      this.rest.set(seq, this.of(seq) + 1)
      return
    }
    if (seq >= this.counts.length) {
      const grown = new Uint32Array(Math.min(dense, Math.max(seq + 1, 2 * this.counts.length)))
      grown.set(this.counts)
      this.counts = grown
    }
    this.counts[seq] = this.of(seq) + 1
  }

  of(seq: number): number {
    return this.counts[seq] ?? this.rest.get(seq) ?? 0
  }

  /** Numbers that were counted at least once here and never in `seen`. */
  *without(seen: JobCounts): Generator<number> {
    for (let seq = 0; seq < this.counts.length; seq++) if (this.of(seq) > 0 && seen.of(seq) === 0) yield seq
    for (const seq of this.rest.keys()) if (seen.of(seq) === 0) yield seq
  }
}
