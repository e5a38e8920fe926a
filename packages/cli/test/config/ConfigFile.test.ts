import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { find, isCode } from "../../src/config/ConfigFile.ts"

const root = mkdtempSync(join(tmpdir(), "muster-config-"))
const below = join(root, "a", "b")
mkdirSync(below, { recursive: true })
writeFileSync(join(root, "muster.config.mjs"), "")
writeFileSync(join(root, "muster.config.ts"), "")
writeFileSync(join(root, "a", "muster.config.json"), "{}")
afterAll(() => rmSync(root, { recursive: true }))

const at = (cwd: string, flag?: string, env: Record<string, string> = {}) => find({ cwd, flag, env })

describe("the configuration of a folder", () => {
  it("is in it or in the nearest folder above, TypeScript first", () => {
    assert.deepStrictEqual(at(root), { path: join(root, "muster.config.ts"), by: "folder" })
    assert.deepStrictEqual(at(below), { path: join(root, "a", "muster.config.json"), by: "folder" })
  })

  it("is the one that the flag names, else the one of the environment, there or not", () => {
    const env = { MUSTER_CONFIG: "other.ts" }
    assert.deepStrictEqual(at(below, "../x.json", env), { path: join(root, "a", "x.json"), by: "flag" })
    assert.deepStrictEqual(at(below, undefined, env), { path: join(below, "other.ts"), by: "environment" })
    assert.strictEqual(at(below, "", { MUSTER_CONFIG: "" })?.by, "folder")
  })

  it("is code unless it is JSON", () => {
    assert.deepStrictEqual(
      [at(root), at(below)].map((file) => file !== null && isCode(file)),
      [true, false]
    )
  })
})
