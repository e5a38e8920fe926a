/**
 * Whose turn it is: at most one reflection in the window of a tempo class, and within a class each facet after the other. The first turn of
 * every class comes one brisk window after the start.
 */
import { type FacetDeclaration, type Tempo, tempoMillis, tempos } from "./FacetDeclaration.ts"

/** The latest turn of a class. */
interface Turn {
  /** On the clock of the rotation, in milliseconds. */
  readonly at: number
  readonly key: string
}

export interface Rotation {
  /** On the clock of the rotation, in milliseconds. */
  readonly startedAt: number
  /** By class; one that is not there has had no turn. */
  readonly turns: ReadonlyMap<Tempo, Turn>
}

export const begin = (startedAt: number): Rotation => ({ startedAt, turns: new Map() })

/** When the class may have its next turn. */
const dueAt = ({ startedAt, turns }: Rotation, tempo: Tempo): number => {
  const last = turns.get(tempo)
  return last === undefined ? startedAt + tempoMillis.brisk : last.at + tempoMillis[tempo]
}

/** Those that can be asked, in the order of the registry. */
const askable = <F extends FacetDeclaration>(
  facets: ReadonlyArray<F>,
  tempo: Tempo,
  away: ReadonlySet<string>
): ReadonlyArray<F> =>
  facets.filter((facet) => facet.tempo === tempo && facet.status === "built" && !away.has(facet.key))

/** The facet after the last one, in a circle; one that has left the registry, or is away, is passed over. */
const following = <F extends FacetDeclaration>(
  facets: ReadonlyArray<F>,
  candidates: ReadonlyArray<F>,
  last: string | undefined
): F | undefined => {
  const from = facets.findIndex(({ key }) => key === last)
  return candidates.find((facet) => facets.indexOf(facet) > from) ?? candidates[0]
}

/** The facet that is to be asked now, of the class that is due for longest; null: nobody is due. `away`: keys that can't be asked. */
export const turnOf = <F extends FacetDeclaration>(
  rotation: Rotation,
  facets: ReadonlyArray<F>,
  now: number,
  away: ReadonlySet<string> = new Set()
): F | null => {
  const due = tempos
    .filter((tempo) => dueAt(rotation, tempo) <= now)
    .toSorted((a, b) => dueAt(rotation, a) - dueAt(rotation, b))
  for (const tempo of due) {
    const next = following(facets, askable(facets, tempo, away), rotation.turns.get(tempo)?.key)
    if (next !== undefined) return next
  }
  return null
}

/** The facet has its turn. */
export const taken = (rotation: Rotation, { key, tempo }: FacetDeclaration, at: number): Rotation => ({
  ...rotation,
  turns: new Map(rotation.turns).set(tempo, { at, key })
})

/** When somebody is due next; null: there is nobody to ask. */
export const nextAt = (
  rotation: Rotation,
  facets: ReadonlyArray<FacetDeclaration>,
  away: ReadonlySet<string> = new Set()
): number | null => {
  const times = tempos
    .filter((tempo) => askable(facets, tempo, away).length > 0)
    .map((tempo) => dueAt(rotation, tempo))
  return times.length === 0 ? null : Math.min(...times)
}
