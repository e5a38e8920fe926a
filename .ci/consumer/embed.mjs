// What a host without TypeScript does: load the packed packages by name, with nothing but their own dependencies.
import assert from "node:assert/strict"
import * as core from "@muster/core"
import * as fleet from "@muster/fleet"
import * as store from "@muster/store-sqlite"

for (const [name, entry] of Object.entries({ core, fleet, store })) {
  assert.ok(Object.keys(entry).length > 0, `@muster/${name} exports nothing`)
}
console.log("embedded: ok")
