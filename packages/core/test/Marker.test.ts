import { assert, describe, it } from "@effect/vitest"
import { limits } from "../src/domain/Defaults.ts"
import { givenName, isOfJob, isSeenIn, markerFault, markerName } from "../src/domain/Marker.ts"

describe("the name of a step", () => {
  it("is any text that is not empty, not too long, and not the runtime's own", () => {
    for (const name of ["pay", "item-7", "räumen", "a b", "x".repeat(limits.markerNameLength)])
      assert.isNull(markerFault(name), name)
    for (const name of ["", "commit", "archive", "a@1", "a\nb", "\u0000", "\ud800", "x".repeat(129)])
      assert.isNotNull(markerFault(name), JSON.stringify(name))
  })

  it("carries its attempt where it is done once in each, and is told without it", () => {
    assert.strictEqual(markerName("think", "job", 2), "think")
    assert.strictEqual(markerName("think", "attempt", 2), "think@2")
    assert.deepStrictEqual([isOfJob("think"), isOfJob("think@2")], [true, false])
    assert.deepStrictEqual([givenName("think"), givenName("think@12")], ["think", "think"])
  })

  it("is seen by the lives of its own attempt alone; the runtime's own by none", () => {
    assert.deepStrictEqual(
      ["pay", "think@1", "think@2", "think@12", "commit", "archive"].filter((name) => isSeenIn(name, 2)),
      ["pay", "think@2"]
    )
  })
})
