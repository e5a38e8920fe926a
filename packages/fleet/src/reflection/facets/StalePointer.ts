/**
 * Stale pointer: every document that a facet's policy or a hint of the catalogue refers to is there, with the heading that is meant. Who
 * follows a hint at night should arrive somewhere.
 */
import { type BuiltFacet, builtInFacet, type Firing, type FleetGlance, Outcome } from "@muster/core"
import { Effect } from "effect"

const why = {
  resolved: "is there",
  no_document: "there is no such document",
  no_anchor: "the document has no such heading",
  unreadable: "it can't be read"
} as const

const judge = ({ pointers }: FleetGlance): Firing | null => {
  const stale = pointers.filter(({ resolution }) => resolution !== "resolved")
  const [first] = stale
  if (first === undefined) return null
  const others = stale.length === 1 ? "" : `, and ${stale.length - 1} more`
  const place = Outcome.policyText(first)
  return {
    about: `document:${encodeURI(place)}`.slice(0, 256),
    sentence: `${first.by} points to ${place}: ${why[first.resolution]}${others}`,
    followUp: "tell",
    evidence: {
      stale: stale.slice(0, 20).map((pointer) => ({
        by: pointer.by,
        place: Outcome.policyText(pointer),
        resolution: pointer.resolution
      }))
    }
  }
}

export const stalePointer: BuiltFacet = {
  ...builtInFacet("stale-pointer"),
  reflect: (glance) => Effect.sync(() => judge(glance))
}
