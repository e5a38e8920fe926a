// Which effect whoever gets in a project with several of them: each tells its own place, in a process of its own, since hooks stay.
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"

const root = mkdtempSync(join(tmpdir(), "muster-copies-"))
afterAll(() => rmSync(root, { recursive: true }))

const put = (path: string, text: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

/** A package of one file. */
const install = (folder: string, version: string, text: string): void => {
  put(`${folder}/package.json`, JSON.stringify({ version, type: "module", exports: { ".": "./index.js" } }))
  put(`${folder}/index.js`, text)
}
const effect = (folder: string, version: string): void =>
  install(`${folder}/node_modules/effect`, version, `export const at = ${JSON.stringify(folder)}\n`)

/** Something that says which effect it has got. */
const whoAsks = (folder: string): void => install(folder, "1.0.0", `export { at } from "effect"\n`)

const oneCopy = join(import.meta.dirname, "../../src/config/OneCopy.ts")

/** What each of them got, in a project where `config` is the configuration. */
const asked = (config: string, names: ReadonlyArray<string>): unknown => {
  put(
    "ask.mjs",
    `import { oneCopy } from ${JSON.stringify(oneCopy)}
oneCopy({ path: ${JSON.stringify(join(root, config))}, by: "folder" })
const { got } = await import(${JSON.stringify(join(root, config))})
console.log(JSON.stringify(got))\n`
  )
  const lines = names.map((name, index) => `import { at as a${index} } from ${JSON.stringify(name)}`)
  put(
    config,
    `${lines.join("\n")}\nexport const got: unknown = [${names.map((_, index) => `a${index}`).join()}]\n`
  )
  const args = ["--conditions=@muster/source", join(root, "ask.mjs")]
  return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" }))
}

describe("one copy of effect", () => {
  it("is that of the project's fleet, for whoever would get another one of the same major version", () => {
    effect("project", "4.1.0")
    whoAsks("project/node_modules/@muster/fleet")
    effect("project/node_modules/@muster/fleet", "4.2.0")
    whoAsks("project/node_modules/plugin")
    effect("project/node_modules/plugin", "4.3.0")
    whoAsks("project/node_modules/old")
    effect("project/node_modules/old", "3.9.0")
    assert.deepStrictEqual(asked("project/muster.config.ts", ["effect", "@muster/fleet", "plugin", "old"]), [
      "project/node_modules/@muster/fleet",
      "project/node_modules/@muster/fleet",
      "project/node_modules/@muster/fleet",
      "project/node_modules/old"
    ])
  })

  it("is the command's own where a project has nothing of Muster", () => {
    put(
      "bare/ask.ts",
      `import { Effect } from "effect"\nimport { Fleet } from "@muster/fleet"\nexport const at = [Effect.isEffect(Fleet), typeof Fleet]\n`
    )
    assert.deepStrictEqual(asked("bare/muster.config.ts", ["./ask.ts"]), [[true, "function"]])
  })
})
