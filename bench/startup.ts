/**
 * How long the command takes to start: `muster --version`, and `muster status` on an empty store, beside an empty Node.js program.
 * `pnpm bench startup [--runs 15] [--json]`
 */
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"

const { values } = parseArgs({
  options: { runs: { type: "string", default: "15" }, json: { type: "boolean", default: false } }
})
const runs = Number(values.runs)
const bin = join(import.meta.dirname, "../packages/cli/bin/muster.js")
const folder = mkdtempSync(join(tmpdir(), "startup-"))
const empty = join(folder, "empty.mjs")
writeFileSync(empty, "")
const store = join(folder, "fleet.db")
const source = "--conditions=@muster/source"
execFileSync(process.execPath, [source, bin, "submit", "--store", store, "--workflow", "none", "{}"])

const programs: Readonly<Record<string, ReadonlyArray<string>>> = {
  "empty program": [empty],
  "muster --version": [source, bin, "--version"],
  "muster status": [source, bin, "status", "--store", store]
}

const median = (numbers: ReadonlyArray<number>) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0
const taken: Record<string, Array<number>> = {}
// In turn, so that a slow moment of the machine touches all of them.
for (let run = 0; run < runs; run++) {
  for (const [name, args] of Object.entries(programs)) {
    const began = performance.now()
    execFileSync(process.execPath, args)
    taken[name] = [...(taken[name] ?? []), performance.now() - began]
  }
}
rmSync(folder, { recursive: true, force: true })
for (const [program, times] of Object.entries(taken)) {
  const ms = Math.round(median(times))
  console.log(values.json ? JSON.stringify({ program, median_ms: ms }) : `${program.padEnd(18)} ${ms} ms`)
}
