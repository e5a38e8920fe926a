// A JSON Schema for each document that a command prints with --json, from the same schemas that docs/json.md is made of.
import { type DocumentKind, documents } from "@muster/cli"
import { Schema } from "effect"
import type { Generator } from "./Generator.ts"

/** The file of a document in docs/schemas, without its folder. */
export const schemaFile = ({ title }: DocumentKind): string =>
  `${title.toLowerCase().replaceAll(/[^a-z]+/g, "-")}.schema.json`

const make = ({ schema, shape, title }: DocumentKind): string => {
  const document = Schema.toJsonSchemaDocument(schema)
  const definitions = Object.keys(document.definitions).length === 0 ? {} : { $defs: document.definitions }
  return `${JSON.stringify(
    {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      title,
      $comment: shape === "document" ? "One document." : "One document a line.",
      ...document.schema,
      ...definitions
    },
    null,
    2
  )}\n`
}

export const jsonSchemas: ReadonlyArray<Generator> = documents.map((kind) => ({
  path: `docs/schemas/${schemaFile(kind)}`,
  section: null,
  make: () => make(kind)
}))
