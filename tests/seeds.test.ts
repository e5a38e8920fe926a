// Each sentence of the seed stands somewhere, and what is said of where is so.
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fleetModel } from "@muster/core/model"
import { describe, expect, it } from "vitest"
import { type Place, seedMap } from "./seeds/SeedMap.ts"

const root = join(import.meta.dirname, "..")
const read = (path: string): string => readFileSync(join(root, path), "utf8")
const invariants = new Set(fleetModel.invariants.map(({ id }) => id))
const facets = new Set(fleetModel.facets.map(({ key }) => key))
const reference = read("docs/reference/cli.md")

const isThere = (place: Place): boolean => {
  switch (place.kind) {
    case "invariant":
      return invariants.has(place.name)
    case "facet":
      return facets.has(place.name)
    case "file":
      return existsSync(join(root, place.name))
    case "test":
      return existsSync(join(root, place.path)) && read(place.path).includes(`"${place.name}"`)
    case "command": {
      const [plain = "", ...flags] = place.name.split(/ (?=--)/)
      const words = plain.replace(/ (job|agent|loop)$/, "")
      return (
        reference.includes(`\n## ${words}\n`) &&
        flags.every((flag) => reference.includes(flag.split(" ")[0] ?? flag))
      )
    }
  }
}

describe("the seed", () => {
  it("has each of its parts in the map, and for each sentence a place that is there", () => {
    expect([...new Set(seedMap.map(({ part }) => part))]).toEqual([
      "Structure",
      "Intent",
      "Motivation",
      "Applicability",
      "Sample code",
      "Consequences",
      "Example use",
      "Related patterns"
    ])
    expect(seedMap.filter(({ places }) => places.length === 0)).toEqual([])
    expect(seedMap.flatMap(({ places }) => places).filter((place) => !isThere(place))).toEqual([])
  })

  it("is told from what is not there, of each kind", () => {
    const gone: ReadonlyArray<Place> = [
      { kind: "invariant", name: "peace" },
      { kind: "facet", name: "mood" },
      { kind: "file", name: "docs/mood.md" },
      { kind: "test", path: "tests/links.test.ts", name: "link only to files that exis" },
      { kind: "command", name: "muster model sing" },
      { kind: "command", name: "muster model drift --loudly" }
    ]
    expect(gone.filter(isThere)).toEqual([])
  })
})
