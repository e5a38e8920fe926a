/**
 * New names for the texts of one job: its results, by the incarnations that have brought them, and its places.
 */
import { resultOf } from "./FleetKey.ts"
import { living } from "./FleetSteps.ts"

export class Renaming {
  private readonly results = new Map<string, string>()
  private readonly places = new Map<string, string>()
  private readonly seq: number
  private readonly own: string

  constructor(seq: number, incarnation: number) {
    this.seq = seq
    this.own = resultOf(incarnation)
  }

  result(text: string): string {
    if (text === "") return text
    const known = this.results.get(text) ?? resultOf(text === this.own ? living : this.results.size + 1)
    this.results.set(text, known)
    return known
  }

  has(text: string): boolean {
    return this.results.has(text)
  }

  /** Not like any that a later incarnation makes. */
  place(text: string): string {
    const known = this.places.get(text) ?? `/w/${this.seq}/-${this.places.size + 1}`
    this.places.set(text, known)
    return known
  }

  placeOrNull(text: string | null): string | null {
    return text === null ? null : this.place(text)
  }
}
