// Every example runs as it stands and prints what is written down beside it.
import { execFile } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { describe, expect, it } from "vitest"

const folder = join(import.meta.dirname, "../examples")
const examples = readdirSync(folder).filter((name) => name.endsWith(".ts"))
const run = promisify(execFile)

describe("the examples", () => {
  it.each(examples)(
    "%s prints what its .out file says",
    async (name) => {
      const scratch = mkdtempSync(join(tmpdir(), "muster-example-"))
      try {
        const args = ["--conditions=@muster/source", join(folder, name)]
        // what an example leaves behind, it leaves in TMPDIR
        const { stdout } = await run(process.execPath, args, { env: { ...process.env, TMPDIR: scratch } })
        expect(stdout).toBe(readFileSync(join(folder, name.replace(/\.ts$/, ".out")), "utf8"))
      } finally {
        rmSync(scratch, { recursive: true })
      }
    },
    30_000
  )
})
