// Generated documents equal their generator's output, and a stale one is seen.
import { describe, expect, it } from "vitest"
import { current, expected, type Generator } from "../scripts/Generator.ts"
import { generators } from "../scripts/generators.ts"

const section: Generator = { path: "A.md", section: "states", make: () => "- one\n" }
const page = (body: string): string =>
  `# A\n\n<!-- generated: states -->\n${body}<!-- end: states -->\n\nMore.\n`

describe("a generated document", () => {
  for (const generator of generators) {
    const name = generator.section === null ? generator.path : `${generator.path} (${generator.section})`
    it(`${name} equals its generator's output; if it doesn't, run pnpm generate`, () => {
      const text = current(generator)
      expect(text).toBe(expected(generator, text))
    })
  }

  it("that is a section changes nothing around it", () => {
    expect(expected(section, page("\n- stale\n\n"))).toBe(page("\n- one\n\n"))
  })

  it("whose section is missing says which markers to add", () => {
    expect(() => expected(section, "# A\n")).toThrow("A.md has no section states")
  })
})
