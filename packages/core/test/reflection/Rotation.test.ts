import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import {
  facetStatuses,
  type FacetDeclaration,
  type Tempo,
  tempoMillis,
  tempos
} from "../../src/domain/reflection/FacetDeclaration.ts"
import * as Rotation from "../../src/domain/reflection/Rotation.ts"

const facet = (key: string, differs: Partial<FacetDeclaration> = {}): FacetDeclaration => ({
  key,
  holds: "Nothing is off.",
  genre: "reference",
  tempo: "brisk",
  status: "built",
  policy: { path: "docs/a.md", anchor: "" },
  followUps: ["tell"],
  ...differs
})

/** Who has which turn when somebody looks at these times. */
const play = (facets: ReadonlyArray<FacetDeclaration>, looks: ReadonlyArray<number>) => {
  let rotation = Rotation.begin(0)
  const turns: Array<{ readonly at: number; readonly key: string; readonly tempo: Tempo }> = []
  for (const at of looks)
    for (;;) {
      const next = Rotation.turnOf(rotation, facets, at)
      if (next === null) break
      turns.push({ at, key: next.key, tempo: next.tempo })
      rotation = Rotation.taken(rotation, next, at)
    }
  return { rotation, turns }
}

const Registry = Schema.Array(
  Schema.Struct({ tempo: Schema.Literals(tempos), status: Schema.Literals(facetStatuses) })
).check(Schema.isMaxLength(8))
const Gaps = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 900_000 }))).check(
  Schema.isMaxLength(120)
)

const registry = (shapes: typeof Registry.Type): ReadonlyArray<FacetDeclaration> =>
  shapes.map((shape, n) => facet(`facet-${n}`, shape))

const looksOf = (gaps: ReadonlyArray<number>): ReadonlyArray<number> => {
  let at = 0
  return gaps.map((gap) => (at += gap))
}

describe("turns", () => {
  it.prop(
    "come at most once in a window of their class, however often somebody looks",
    [Registry, Gaps],
    ([shapes, gaps]) => {
      const { turns } = play(registry(shapes), looksOf(gaps))
      return tempos.every((tempo) =>
        turns
          .filter((turn) => turn.tempo === tempo)
          .every(({ at }, n, mine) => n === 0 || at - (mine[n - 1]?.at ?? 0) >= tempoMillis[tempo])
      )
    }
  )

  it.prop(
    "go round: between two turns of a facet each other one of its class has had one",
    [Registry, Gaps],
    ([shapes, gaps]) => {
      const facets = registry(shapes)
      const { turns } = play(facets, looksOf(gaps))
      return tempos.every((tempo) => {
        const built = facets.filter((one) => one.tempo === tempo && one.status === "built")
        const mine = turns.filter((turn) => turn.tempo === tempo)
        return mine.every(({ key }, n) => key === built[n % built.length]?.key)
      })
    }
  )

  it.prop("never come to one that nobody has built", [Registry, Gaps], ([shapes, gaps]) => {
    const facets = registry(shapes)
    const built = new Set(facets.filter(({ status }) => status === "built").map(({ key }) => key))
    return play(facets, looksOf(gaps)).turns.every(({ key }) => built.has(key))
  })

  it.prop("are due when they say", [Registry, Gaps], ([shapes, gaps]) => {
    const facets = registry(shapes)
    const { rotation } = play(facets, looksOf(gaps))
    const next = Rotation.nextAt(rotation, facets)
    if (next === null) return facets.every(({ status }) => status !== "built")
    return (
      Rotation.turnOf(rotation, facets, next) !== null && Rotation.turnOf(rotation, facets, next - 1) === null
    )
  })

  it("begin one brisk window after the start, whatever the class", () => {
    const facets = tempos.map((tempo) => facet(tempo, { tempo }))
    assert.deepStrictEqual(play(facets, [0, 59_999]).turns, [])
    assert.sameMembers(
      play(facets, [60_000]).turns.map(({ key }) => key),
      ["brisk", "steady", "slow"]
    )
  })

  it("come again when the window of their class is over, and not a millisecond before", () => {
    for (const tempo of tempos) {
      const facets = [facet("a", { tempo })]
      const after = Rotation.taken(Rotation.begin(0), facet("a", { tempo }), 60_000)
      assert.isNull(Rotation.turnOf(after, facets, 60_000 + tempoMillis[tempo] - 1))
      assert.propertyVal(Rotation.turnOf(after, facets, 60_000 + tempoMillis[tempo]), "key", "a")
    }
  })

  it("pass over one that is away, and come back to it", () => {
    const facets = ["a", "b", "c"].map((key) => facet(key))
    const after = Rotation.taken(Rotation.begin(0), facet("a"), 60_000)
    assert.propertyVal(Rotation.turnOf(after, facets, 120_000, new Set(["b"])), "key", "c")
    assert.propertyVal(Rotation.turnOf(after, facets, 120_000), "key", "b")
    assert.isNull(Rotation.turnOf(after, facets, 120_000, new Set(["a", "b", "c"])))
  })

  it("go on with the first when the last one has left the registry", () => {
    const after = Rotation.taken(Rotation.begin(0), facet("gone"), 60_000)
    assert.propertyVal(Rotation.turnOf(after, [facet("a"), facet("b")], 120_000), "key", "a")
  })
})
