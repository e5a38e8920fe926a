// The house rules, held over every file of the repository. tests/architecture/ has the rules, and a planted violation of each.
import { describe, expect, it } from "vitest"
import { report } from "./architecture/Rule.ts"
import { rules } from "./architecture/rules.ts"
import { fromDisk } from "./architecture/Tree.ts"

describe("the architecture", () => {
  const tree = fromDisk()

  for (const rule of rules) {
    it(rule.name, () => {
      const violations = rule.check(tree)
      expect(violations, report(rule, violations)).toEqual([])
    })
  }
})
