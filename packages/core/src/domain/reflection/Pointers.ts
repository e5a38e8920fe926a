/**
 * References to places in documents: how they are found in a sentence, and whether a document has such a place.
 */
import type { PolicyReference } from "./FacetDeclaration.ts"
import type { Resolution } from "./FleetGlance.ts"

/** A path that ends in `.md`, and the anchor that may follow it. */
const reference = /(?<![\w./:@-])((?:@?[\w.-]+\/)*[\w.-]+\.md)(?:#([\p{L}\p{N}_-]+))?(?![\w/])/gu

/** The Markdown documents that a sentence refers to, as a hint of the catalogue may: `see docs/runbook.md#rate-limits`. */
export const pointersIn = (text: string): ReadonlyArray<PolicyReference> =>
  Array.from(text.matchAll(reference), ([, path = "", anchor = ""]) => ({ path, anchor }))

/** A heading as Markdown makes a link of it. */
const slug = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(/\s/g, "-")

const fence = /^ {0,3}(?:```|~~~)/

/** The anchors of a Markdown document: its headings, a number behind those that come again, and named places. */
export const anchorsOf = (markdown: string): ReadonlySet<string> => {
  const anchors = new Set<string>()
  let isCode = false
  for (const line of markdown.split("\n")) {
    if (fence.test(line)) isCode = !isCode
    if (isCode) continue
    const heading = /^ {0,3}#{1,6}\s+(.*?)(?:\s+#+)?\s*$/.exec(line)?.[1]
    if (heading !== undefined) {
      const base = slug(heading)
      let anchor = base
      for (let again = 1; anchors.has(anchor); again++) anchor = `${base}-${again}`
      anchors.add(anchor)
    }
    for (const [, named = ""] of line.matchAll(/<a\s[^>]*(?:id|name)="([^"]+)"/g)) anchors.add(named)
  }
  return anchors
}

/** Whether the reference leads somewhere in the document's text; null: there is no such document. */
export const resolve = ({ anchor }: PolicyReference, text: string | null): Resolution =>
  text === null ? "no_document" : anchor === "" || anchorsOf(text).has(anchor) ? "resolved" : "no_anchor"
