// Every command that a page shows runs as it stands: the pages' `sh` blocks, in order, in an empty folder a page, against real stores.
import { execFile } from "node:child_process"
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Block, blocksOf, matches } from "./docs/Block.ts"
import { helpOf, mentionsOf, unknownIn } from "./docs/Mention.ts"

const root = join(import.meta.dirname, "..")
const pages = ["README.md", ...globSync("docs/**/*.md", { cwd: root }).toSorted()]
const cli = join(root, "packages/cli")

/**
 * The command as it is packed, one bundle, which starts in a third of the time; but for a fleet that runs the code of a configuration:
 * that needs the packages themselves, here their sources.
 */
const packed = async (folder: string): Promise<void> => {
  const rolldown = join(cli, "node_modules/rolldown/bin/cli.mjs")
  await promisify(execFile)(process.execPath, [rolldown, "-c", "-d", join(folder, "dist")], { cwd: cli })
  cpSync(join(cli, "bin"), join(folder, "bin"), { recursive: true })
  symlinkSync(join(cli, "src"), join(folder, "src"))
  const imports = {
    "#entry": "./src/config/Entry.ts",
    "#main": "./dist/bundle.js",
    "#unbundled": "./src/main.ts"
  }
  const manifest: unknown = JSON.parse(readFileSync(join(cli, "package.json"), "utf8"))
  writeFileSync(join(folder, "package.json"), JSON.stringify({ ...Object(manifest), imports }))
}

/** Programs that stand on the PATH of each page: the command, under both of its names. */
const programs = (folder: string) => {
  const command = `exec "${process.execPath}" --conditions=@muster/source "${folder}/bin/muster.js" "$@"\n`
  return {
    muster: `#!/bin/sh\n${command}`,
    pnpm: `#!/bin/sh\n[ "$1" = muster ] || { echo "pages run pnpm muster only, not: pnpm $*" >&2; exit 99; }\nshift\n${command}`
  }
}

/** What a person's shell has, without what this run says about colours and packages. */
const environment = (bin: string, cache: string): NodeJS.ProcessEnv => ({
  PATH: `${bin}:${join(process.execPath, "..")}:${process.env["PATH"]}`,
  HOME: bin,
  MUSTER: root,
  LANG: "C.UTF-8",
  TZ: "UTC",
  NODE_COMPILE_CACHE: cache
})

const isThere = (program: string): boolean =>
  (process.env["PATH"] ?? "").split(delimiter).some((folder) => existsSync(join(folder, program)))

const runs = ({ needs, skip }: Block): boolean => skip === null && (needs === null || isThere(needs))

interface Ended {
  readonly code: number
  readonly out: string
  readonly err: string
}

const run = (block: Block, cwd: string, env: NodeJS.ProcessEnv): Promise<Ended> =>
  new Promise((resolve) => {
    const child = execFile("sh", ["-euc", block.text], { cwd, env }, (error, out, err) => {
      resolve({ code: error === null ? 0 : typeof error.code === "number" ? error.code : -1, out, err })
    })
    child.stdin?.end()
  })

/** What doesn't come out as the page says, up to the first such block. */
const play = async (
  page: string,
  blocks: ReadonlyArray<Block>,
  cwd: string,
  env: NodeJS.ProcessEnv
): Promise<ReadonlyArray<string>> => {
  const [block, ...rest] = blocks.filter(runs)
  if (block === undefined) return []
  const { code, err, out } = await run(block, cwd, env)
  const told = `${page}:${block.line}\n${block.text}\n${out}${err}`
  if (code !== block.exits) return [`${told}\nended with ${code}, not with ${block.exits}`]
  if (block.shown !== null && !matches(block.shown, out)) return [`${told}\nis not as shown:\n${block.shown}`]
  return play(page, rest, cwd, env)
}

describe.concurrent("the commands of", () => {
  let scratch = ""
  beforeAll(async () => {
    scratch = mkdtempSync(join(tmpdir(), "muster-docs-"))
    mkdirSync(join(scratch, "bin"))
    await packed(join(scratch, "packed"))
    for (const [name, text] of Object.entries(programs(join(scratch, "packed"))))
      writeFileSync(join(scratch, "bin", name), text, { mode: 0o755 })
  })
  afterAll(() => {
    rmSync(scratch, { recursive: true })
  })

  for (const page of pages) {
    const blocks = blocksOf(readFileSync(join(root, page), "utf8"))
    if (!blocks.some(runs)) continue
    it(
      page,
      async () => {
        const cwd = mkdtempSync(join(scratch, "page "))
        const env = environment(join(scratch, "bin"), join(scratch, "cache"))
        expect(await play(page, blocks, cwd, env)).toEqual([])
      },
      120_000 // some twenty processes a page: seconds alone, far more on a busy machine
    )
  }
})

describe("commands in the text", () => {
  const read = (page: string): string => readFileSync(join(root, page), "utf8")
  const help = helpOf(read("docs/reference/cli.md"))

  it("of every page are in the reference, with their flags", () => {
    const wrong = [...pages, "CONTRIBUTING.md", "CHANGELOG.md"].flatMap((page) =>
      mentionsOf(read(page)).flatMap((mention) => {
        const unknown = unknownIn(help, mention)
        return unknown === null ? [] : [`${page}:${mention.line}: ${unknown}`]
      })
    )
    expect(wrong).toEqual([])
  })

  it.each([
    ["muster nosuch", "there is no muster nosuch"],
    ["muster dlq replay 17 --nosuch", "muster dlq replay has no --nosuch"],
    ["muster run jobs.jsonl --slots 8 -- ./agent --nosuch", null],
    ["muster dlq replay 17 --store FILE", null],
    ["muster --version", null]
  ])("are read as %s", (text, wrong) => {
    const [mention] = mentionsOf(`Type \`${text}\`.`)
    expect(mention === undefined ? "none" : unknownIn(help, mention)).toBe(wrong)
  })
})

describe("a page's blocks", () => {
  it("run unless they say why not, and end with 0 unless they say otherwise", () => {
    const text =
      '```sh\na\n```\n\n```text\nb\n```\n\n```sh exits=5 needs=jq\nc\n```\n\n<!--\n```sh skip="why"\nd\n```\n-->\n```ts\ne\n```\n'
    expect(blocksOf(text)).toEqual([
      { line: 2, text: "a\n", exits: 0, needs: null, skip: null, shown: "b\n" },
      { line: 10, text: "c\n", exits: 5, needs: "jq", skip: null, shown: null },
      { line: 15, text: "d\n", exits: 0, needs: null, skip: "why", shown: null }
    ])
  })

  it.each(["sh skip", 'sh skip=""', "sh exit=5", "sh exits=no"])("are refused as ```%s", (info) => {
    expect(() => blocksOf(`\`\`\`${info}\na\n\`\`\`\n`)).toThrow("line 1")
  })

  it("show all of the output, but for what … stands for", () => {
    expect(matches("a … c\n", "a 17 c\n")).toBe(true)
    expect(matches("a\n…\nz\n", "a\nb\nc\nz\n")).toBe(true)
    expect(matches("a\n…\n", "a\n")).toBe(true)
    expect(matches("k3f9qx-17 a\n", "abc123-17 a\n")).toBe(true)
    expect(matches("k3f9qx-17 a\n", "abc123-18 a\n")).toBe(false)
    expect(matches("a … c\n", "a 17 d\n")).toBe(false)
    expect(matches("a\n", "a\nb\n")).toBe(false)
    expect(matches("a.c\n", "abc\n")).toBe(false)
  })
})
