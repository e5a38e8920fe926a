// How much goes into one commit, by what the last ones have taken.
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { CommitPace } from "../../src/loop/CommitPace.ts"

const millis = (count: number): bigint => BigInt(Math.round(count * 1e6))

/** What is committed next where rows take so long each, while there is more to write than ever fits. */
const after = (commits: number, millisPerRow: number, pace = new CommitPace()): CommitPace => {
  for (let n = 0; n < commits; n++) pace.took(pace.most, millis(pace.most * millisPerRow))
  return pace
}

describe("the pace of commits", () => {
  it("begins with a thousand changes, and stays there while those take less than 10 ms (R15)", () => {
    assert.strictEqual(new CommitPace().most, 1_000)
    assert.strictEqual(after(9, 0.009).most, 1_000)
  })

  it("cuts what takes longer to what fits into 10 ms (R15)", () => {
    assert.strictEqual(after(1, 0.04).most, 250)
    assert.strictEqual(after(9, 0.04).most, 250)
  })

  it("never cuts below two hundred, however slow the store is, and forgets a slow commit soon", () => {
    const pace = after(3, 5)
    assert.strictEqual(pace.most, 200)
    assert.strictEqual(after(3, 0.001, pace).most, 1_000)
  })

  it("learns nothing from short commits", () => {
    const pace = new CommitPace()
    pace.took(199, millis(5_000))
    assert.strictEqual(pace.most, 1_000)
    const cut = after(2, 0.04)
    for (let n = 0; n < 9; n++) cut.took(50, 0n)
    assert.strictEqual(cut.most, 250)
  })

  it("isn't raised above its bound by one commit that held more than it and took a little long", () => {
    const pace = new CommitPace()
    pace.took(2_000, millis(10.5))
    assert.strictEqual(pace.most, 1_000)
  })

  const commits = Schema.Array(
    Schema.Tuple([
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2_000 })),
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000_000 }))
    ])
  )
  it.prop("stays between its bounds, whatever commits take", { commits }, ({ commits }) => {
    const pace = new CommitPace()
    for (const [changes, nanos] of commits) {
      pace.took(changes, BigInt(nanos))
      assert.isTrue(Number.isInteger(pace.most) && pace.most >= 200 && pace.most <= 1_000)
    }
  })
})
