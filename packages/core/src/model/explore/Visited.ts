/**
 * The states that a search has met, by 64 bits of a hash of their keys: the keys themselves would not fit. Two states of one hash would be
 * taken for one; among n states that happens with a probability of about n² / 2^65, for a million one in 37 million.
 */

const empty = -1

export class Visited {
  /** How many there are; the next one gets this number. */
  size = 0
  private high: Int32Array
  private low: Int32Array
  private numbers: Int32Array

  constructor(capacity = 1 << 16) {
    this.high = new Int32Array(capacity)
    this.low = new Int32Array(capacity)
    this.numbers = new Int32Array(capacity).fill(empty)
  }

  /** The number of the state, from 0 in order of their coming; a new one is counted. */
  add(key: string): number {
    return this.look(key, true)
  }

  /** The number of the state; -1 where it wasn't met. */
  find(key: string): number {
    return this.look(key, false)
  }

  private look(key: string, adds: boolean): number {
    // MurmurHash3's rounds and its finaliser (Austin Appleby, public domain), in two lanes with different seeds
    let high = 0x9747b28c | 0
    let low = 0x2f6e2b1 | 0
    for (let index = 0; index < key.length; index++) {
      const unit = key.charCodeAt(index)
      high = Math.imul(high ^ unit, 0x5bd1e995)
      high ^= high >>> 15
      low = Math.imul(low ^ unit, 0x1b873593)
      low ^= low >>> 13
    }
    high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35)
    low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35)
    return this.place(high, low, adds)
  }

  private place(high: number, low: number, adds: boolean): number {
    const mask = this.numbers.length - 1
    let slot = (high ^ Math.imul(low, 0x9e3779b1)) & mask
    for (;;) {
      const number = this.numbers[slot] ?? empty
      if (number === empty) break
      if (this.high[slot] === high && this.low[slot] === low) return number
      slot = (slot + 1) & mask
    }
    if (!adds) return empty
    this.high[slot] = high
    this.low[slot] = low
    this.numbers[slot] = this.size
    this.size++
    if (this.size * 2 > this.numbers.length) this.grow()
    return this.size - 1
  }

  private grow(): void {
    const { high, low, numbers } = this
    const mask = numbers.length * 2 - 1
    this.high = new Int32Array(mask + 1)
    this.low = new Int32Array(mask + 1)
    this.numbers = new Int32Array(mask + 1).fill(empty)
    for (let from = 0; from < numbers.length; from++) {
      const number = numbers[from] ?? empty
      if (number === empty) continue
      const one = high[from] ?? 0
      const other = low[from] ?? 0
      let slot = (one ^ Math.imul(other, 0x9e3779b1)) & mask
      while (this.numbers[slot] !== empty) slot = (slot + 1) & mask
      this.high[slot] = one
      this.low[slot] = other
      this.numbers[slot] = number
    }
  }
}
