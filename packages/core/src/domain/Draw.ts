/**
 * Chance as a function: the same seed, job and attempt give the same draw, so that a decision can be made again (R12).
 */

/** The finaliser of MurmurHash3 (Austin Appleby, public domain): each bit of the input changes half of the output. */
const mix = (word: number): number => {
  let hash = word | 0
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** Stirs one number in; numbers beyond 32 bits count whole. */
const stir = (hash: number, value: number): number =>
  mix(mix((hash ^ value) + 0x9e3779b9) ^ Math.floor(value / 0x1_0000_0000))

/**
 * A number in [0, 1) with 53 random bits.
 *
 * @param seed any integer: the fleet's, from `env`
 * @param jobSeq the job's number in its store
 * @param attempt any integer that tells the draws of one job apart
 */
export const draw = (seed: number, jobSeq: number, attempt: number): number => {
  const high = stir(stir(stir(0, seed), jobSeq), attempt)
  const low = mix(high ^ 0x6a09e667)
  return ((high >>> 5) * 0x400_0000 + (low >>> 6)) / 0x20_0000_0000_0000
}
