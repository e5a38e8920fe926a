// Links between the documents of the repository lead somewhere.
import { existsSync, globSync, readFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { describe, expect, it } from "vitest"

const root = join(import.meta.dirname, "..")
const skipped = new Set(["node_modules", "dist", "coverage", ".git"])

const documents = globSync("**/*.md", { cwd: root, exclude: (path) => skipped.has(basename(path)) })

/** Targets of Markdown links that mean a file of the repository, without their anchors. */
const links = (text: string): ReadonlyArray<string> =>
  Array.from(text.replaceAll(/```[\s\S]*?```/g, "").matchAll(/\]\(([^)\s]+)\)/g), ([, target = ""]) => target)
    .filter((target) => !/^([a-z]+:|#)/.test(target))
    .map((target) => target.replace(/#.*$/, ""))

describe("the documents", () => {
  it("link only to files that exist", () => {
    const broken = documents.flatMap((path) =>
      links(readFileSync(join(root, path), "utf8"))
        .filter((target) => !existsSync(join(root, dirname(path), target)))
        .map((target) => `${path}: ${target}`)
    )
    expect(broken).toEqual([])
  })

  it("are read for links to files, not for addresses, anchors or code", () => {
    const text = "[a](b.md#c) [d](https://e.f) [g](#h)\n```\n[i](j.md)\n```\n[k](../l/)"
    expect(links(text)).toEqual(["b.md", "../l/"])
  })
})
