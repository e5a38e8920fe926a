// The command in this process, with a store of its own: what it says on both streams, and how it ends.
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, FileSystem, Layer, Schema, Stdio, Stream } from "effect"
import { TestConsole } from "effect/testing"
import { documents } from "../src/json/Documents.ts"
import { program } from "../src/Program.ts"

interface Said {
  readonly exitCode: number
  /** Lines of standard output. */
  readonly out: ReadonlyArray<string>
  /** Standard error, as one text. */
  readonly err: string
}

const texts = (lines: ReadonlyArray<unknown>): string => lines.map(String).join("\n")

const stdioOf = (args: ReadonlyArray<string>, stdin: string) =>
  Stdio.layerTest({
    args: Effect.succeed(args),
    stdin: stdin === "" ? Stream.empty : Stream.make(new TextEncoder().encode(stdin))
  })

/** Types a command. */
export const type = Effect.fnUntraced(function* (args: ReadonlyArray<string>, stdin = "") {
  const before = { out: (yield* TestConsole.logLines).length, err: (yield* TestConsole.errorLines).length }
  const exitCode = yield* program(args).pipe(
    Effect.provide(stdioOf(args, stdin)),
    Effect.as(0),
    Effect.catchTag("Ended", (ended) => Effect.succeed(ended.exitCode))
  )
  const out = texts((yield* TestConsole.logLines).slice(before.out))
  const said: Said = {
    exitCode,
    out: out === "" ? [] : out.split("\n"),
    err: texts((yield* TestConsole.errorLines).slice(before.err))
  }
  return said
})

/** A folder for a store that nobody has made yet, and commands that name it. */
export const storeFolder = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.makeTempDirectoryScoped({ prefix: "muster-cli-" })
  const file = join(folder, "made", "fleet.db")
  return {
    folder,
    file,
    type: (args: ReadonlyArray<string>, stdin?: string) => type([...args, "--store", file], stdin)
  }
})

/** The document that a line holds, held against the schema of its kind: a field too many is an error as well. */
export const document = (title: string, line: string | undefined): Record<string, unknown> => {
  const kind = documents.find((one) => one.title === title)
  if (kind === undefined || line === undefined) throw new Error(`no document "${title}"`)
  // every document is a struct that needs no services, and its own encoded form
  const schema = kind.schema as Schema.Codec<Record<string, unknown>>
  return Schema.decodeUnknownSync(schema, { onExcessProperty: "error" })(JSON.parse(line))
}

export const world = Layer.mergeAll(NodeServices.layer)
