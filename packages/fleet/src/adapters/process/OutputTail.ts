/**
 * The end of a stream of bytes, and nothing else of it: memory stays at twice the limit however much is written.
 */

const smallest = 1_024

export interface OutputTail {
  readonly push: (chunk: Uint8Array) => void
  /** The kept end as text: whole characters, what is not UTF-8 replaced. */
  readonly text: () => string
  /** Whether anything was written that is no longer kept. */
  readonly isCut: () => boolean
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80

/** A cut in the middle of a character leaves up to three bytes that begin nothing. */
const wholeFrom = (bytes: Uint8Array): number => {
  let start = 0
  while (start < 3 && isContinuation(bytes[start])) start += 1
  return start
}

export const make = (limitBytes: number): OutputTail => {
  const capacity = limitBytes * 2
  let kept = new Uint8Array(0)
  let length = 0
  let total = 0

  const makeRoom = (needed: number) => {
    if (length + needed <= kept.length) return
    const stays = length + needed <= capacity ? length : Math.min(length, limitBytes)
    const from = length - stays
    if (stays + needed > kept.length) {
      const grown = new Uint8Array(Math.min(capacity, Math.max(smallest, kept.length * 2, stays + needed)))
      grown.set(kept.subarray(from, length))
      kept = grown
    } else kept.copyWithin(0, from, length)
    length = stays
  }

  return {
    push: (chunk) => {
      total += chunk.length
      const end = chunk.length > limitBytes ? chunk.subarray(chunk.length - limitBytes) : chunk
      makeRoom(end.length)
      kept.set(end, length)
      length += end.length
    },
    text: () => {
      const end = kept.subarray(Math.max(0, length - limitBytes), length)
      return new TextDecoder().decode(total > end.length ? end.subarray(wholeFrom(end)) : end)
    },
    isCut: () => total > limitBytes
  }
}
