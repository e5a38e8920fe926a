// The JSON Schemas of docs/schemas say the same as the schemas that commands print by: a document of each kind fits both.
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { documents } from "@muster/cli"
import { JsonSchema, Schema, SchemaRepresentation } from "effect"
import { jsonSchemas, schemaFile } from "../scripts/jsonSchemas.ts"

const folder = join(import.meta.dirname, "../docs/schemas")

/** The schema that a file of the folder says. */
const written = (file: string) =>
  SchemaRepresentation.fromJsonSchemaDocument(
    JsonSchema.fromSchemaDraft2020_12(JSON.parse(readFileSync(join(folder, file), "utf8")))
  )

describe("docs/schemas", () => {
  it("has a file for each kind of document, and no other", () => {
    expect(readdirSync(folder).toSorted()).toEqual(documents.map(schemaFile).toSorted())
    expect(jsonSchemas).toHaveLength(documents.length)
  })
})

describe("a document", () => {
  for (const kind of documents) {
    // every document is a struct that needs no services, and its own encoded form
    const schema = kind.schema as Schema.Codec<Record<string, unknown>>
    // a JSON Schema of an object says of objects alone
    const file = written(schemaFile(kind)) as Schema.Codec<Record<string, unknown>>

    it.prop(
      `of ${kind.title} fits its schema and the file, and fits neither without one of its fields`,
      { document: schema },
      ({ document }) => {
        // as it is printed and read back: -0 is 0
        const printed: Record<string, unknown> = JSON.parse(JSON.stringify(document))
        expect(Schema.decodeSync(schema, { onExcessProperty: "error" })(printed)).toEqual(printed)
        expect(Schema.decodeSync(file)(printed)).toEqual(printed)
        expect(Schema.is(file)({ ...printed, added_later: 1 })).toBe(true)
        for (const name of Object.keys(printed)) {
          const { [name]: _, ...less } = printed
          expect(Schema.is(file)(less), `without ${name}`).toBe(Schema.is(schema)(less))
        }
      },
      { arbitrary: { runs: 10 } }
    )
  }
})
