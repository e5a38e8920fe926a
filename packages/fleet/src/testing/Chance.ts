/**
 * Chance from a seed: everything that a simulation draws comes from here, so that the seed alone tells the whole story. A fork draws by
 * itself: what is drawn from it moves nothing that is drawn elsewhere, and a story stays the same when one of its parts is left out.
 */

/** Stirs a text into 32 bits (FNV-1a). */
const stir = (seed: number, text: string): number => {
  let hash = (seed ^ 0x811c9dc5) >>> 0
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0
  return hash
}

/** What is drawn from, each with its weight. */
export type Weighted<A> = ReadonlyArray<readonly [weight: number, value: A]>

export class Chance {
  private readonly seed: number
  private state: number

  constructor(seed: number) {
    this.seed = seed >>> 0
    // Neighbouring seeds must not tell alike stories.
    this.state = stir(this.seed, "chance")
  }

  /** In [0, 1) (mulberry32: Tommy Ettinger, public domain). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }

  /** A whole number from `from` to `to`, both included. */
  int(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1))
  }

  /** As `int`, but small numbers are as likely as large ones are together: for times. */
  span(from: number, to: number): number {
    return Math.round(Math.exp(Math.log(from) + this.next() * (Math.log(to) - Math.log(from))))
  }

  /** True with this probability. */
  is(probability: number): boolean {
    return this.next() < probability
  }

  pick<A>(items: readonly [A, ...ReadonlyArray<A>]): A {
    return items[Math.floor(this.next() * items.length)] ?? items[0]
  }

  weigh<A>(items: readonly [readonly [number, A], ...Weighted<A>]): A {
    let left = this.next() * items.reduce((sum, [weight]) => sum + weight, 0)
    for (const [weight, value] of items) {
      if (left < weight) return value
      left -= weight
    }
    return items[0][1]
  }

  /** Draws of its own, told by the name alone. */
  fork(name: string): Chance {
    return new Chance(stir(this.seed, name))
  }
}
