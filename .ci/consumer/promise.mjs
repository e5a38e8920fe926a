// What a host without Effect does: a fleet behind promises, from the packed packages.
import assert from "node:assert/strict"
import { JobFailed } from "@muster/core"
import { MemoryStore } from "@muster/fleet"
import { openFleet, workflow } from "@muster/fleet/promise"

const double = workflow("double", {
  run: async ({ n }) => {
    if (n < 0) throw Object.assign(new Error("negative"), { _tag: "DQ_NEGATIVE" })
    return n * 2
  }
})

const fleet = await openFleet({ workflows: [double], store: MemoryStore.layer() })
assert.equal(await (await fleet.submit(double, { n: 21 })).result(), 42)
const failed = await fleet.submit(double, { n: -1 })
await assert.rejects(failed.result(), (error) => error instanceof JobFailed && error.code === "DQ_NEGATIVE")
await fleet.close()
console.log("promises: ok")
