/**
 * Keeps the values of an attribute few: agents choose codes, and submitters workflow names, as they like.
 */

/** What all values go under for which there is no room. */
const other = "other"

/** Values beside the known ones that get a series of their own. */
export const mostUnknown = 32

/** A longer one is not worth a label. */
const longest = 128

export class Cardinality {
  readonly #known: ReadonlySet<string>
  readonly #met = new Set<string>()

  /** `known`: always told apart. Of others the first that are met, up to a bound. */
  constructor(known: Iterable<string>) {
    this.#known = new Set(known)
  }

  /** The value itself, or `other`. */
  of(value: string): string {
    if (this.#known.has(value) || this.#met.has(value)) return value
    if (this.#met.size >= mostUnknown || value.length > longest) return other
    this.#met.add(value)
    return value
  }
}
