/**
 * Choices that follow from a seed: the same seed, the same choices.
 */

/** Numbers from 0 to below 1 (mulberry32). */
export const chance = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** A whole number from `least` to `most`. */
export const between = (next: () => number, least: number, most: number): number =>
  least + Math.floor(next() * (most - least + 1))
