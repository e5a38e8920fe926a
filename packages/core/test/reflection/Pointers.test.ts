import { assert, describe, it } from "@effect/vitest"
import { anchorsOf, pointersIn, resolve } from "../../src/domain/reflection/Pointers.ts"

describe("references in a sentence", () => {
  it("are paths of Markdown documents, with their anchors", () => {
    assert.deepStrictEqual(
      pointersIn(
        "Mend it as in docs/runbook.md#rate-limits, or ask; see also (../ops/a_b.md). And README.md"
      ),
      [
        { path: "docs/runbook.md", anchor: "rate-limits" },
        { path: "../ops/a_b.md", anchor: "" },
        { path: "README.md", anchor: "" }
      ]
    )
    assert.deepStrictEqual(pointersIn("see @acme/rules/policy.md#a_1."), [
      { path: "@acme/rules/policy.md", anchor: "a_1" }
    ])
  })

  it("are no addresses, no other files and no words that only look like it", () => {
    for (const text of ["https://a.b/c.md", "mail me@home.md", "a.mdx", "cmd.exe", "", "no document"])
      assert.deepStrictEqual(pointersIn(text), [], text)
  })
})

describe("anchors of a document", () => {
  it("are its headings as Markdown makes links of them", () => {
    const text = [
      "# Rate limits!",
      "## Wo es brennt: Öfen & Co.",
      "### `EXT_*` and others ###",
      "## Again",
      "## Again",
      "Text # no heading",
      "#none",
      "```",
      "# code",
      "```",
      '<a id="named"></a>'
    ].join("\n")
    assert.deepStrictEqual(
      [...anchorsOf(text)],
      ["rate-limits", "wo-es-brennt-öfen--co", "ext_-and-others", "again", "again-1", "named"]
    )
  })
})

describe("a reference", () => {
  const resolved = (anchor: string, text: string | null) => resolve({ path: "a.md", anchor }, text)

  it("leads somewhere where the document is there and has the heading", () => {
    assert.strictEqual(resolved("b", "# B"), "resolved")
    assert.strictEqual(resolved("", "anything"), "resolved")
    assert.strictEqual(resolved("c", "# B"), "no_anchor")
    assert.strictEqual(resolved("", null), "no_document")
    assert.strictEqual(resolved("b", null), "no_document")
  })
})
