// What the bounds on finished jobs ask for.
import { assert, describe, it } from "@effect/vitest"
import { Retention } from "@muster/core"

const size = {
  jobs: [
    { state: "COMPLETED", count: 90 },
    { state: "PENDING", count: 1000 },
    { state: "DEAD_LETTERED", count: 15 },
    { state: "FAILED", count: 2 },
    { state: "CANCELLED", count: 3 },
    { state: "GLUED", count: 7 }
  ],
  letters: 10,
  bytes: 5000
}
const free: Retention.RetentionBounds = { finishedMillis: null, jobs: null, bytes: null }

describe("bounds on what is kept", () => {
  it("finished jobs are counted without those whose letters somebody may still read", () => {
    assert.strictEqual(Retention.finishedJobs(size), 100)
    assert.strictEqual(Retention.finishedJobs({ ...size, jobs: [], letters: 3 }), 0)
  })

  it("without bounds nothing goes, and within them nothing but by age", () => {
    assert.deepStrictEqual(Retention.forgettings(free, size, 9000, 20), [])
    const wide = { finishedMillis: 1000, jobs: 100, bytes: 5000 }
    assert.deepStrictEqual(Retention.forgettings(wide, size, 9000, 20), [
      { bound: "finishedMillis", before: 8000, most: 20 }
    ])
  })

  it("beyond a count no more go than are too many, beyond a size as many as one transaction may take", () => {
    assert.deepStrictEqual(Retention.forgettings({ ...free, jobs: 97 }, size, 9000, 20), [
      { bound: "jobs", before: 9001, most: 3 }
    ])
    assert.deepStrictEqual(Retention.forgettings({ ...free, jobs: 0, bytes: 1000 }, size, 9000, 20), [
      { bound: "bytes", before: 9001, most: 20 },
      { bound: "jobs", before: 9001, most: 20 }
    ])
    const [few] = Retention.forgettings({ ...free, bytes: 4990 }, size, 9000, 20)
    assert.strictEqual(few?.most, 3, "a job takes some four bytes")
    assert.deepStrictEqual(
      Retention.forgettings({ ...free, bytes: 1 }, { ...size, bytes: null }, 9000, 20),
      []
    )
  })
})
