// Each architecture rule on made-up files: it finds what was planted, and leaves what is allowed alone.
import { describe, expect, it } from "vitest"
import { everyImplementationRunsItsSuite, everyPortHasASuite } from "./PortRules.ts"
import type { Rule } from "./Rule.ts"
import { rules } from "./rules.ts"
import { planted } from "./Tree.ts"

const core = "packages/core/src"
const fleet = "packages/fleet/src"
const long = (lines: number): string => "// line\n".repeat(lines)

interface Case {
  readonly rule: RegExp
  /** What is wrong in each: one violation a line of `found`. */
  readonly wrong: Readonly<Record<string, string>>
  readonly found: ReadonlyArray<string>
  readonly fine: Readonly<Record<string, string>>
}

const cases: ReadonlyArray<Case> = [
  {
    rule: /^core imports no sibling/,
    wrong: {
      [`${core}/A.ts`]: `import { x } from "@muster/fleet"`,
      [`${fleet}/A.ts`]: `import type { x } from "@muster/store-sqlite"`,
      [`${fleet}/B.ts`]: `export * from "../../cli/src/main.ts"`,
      "packages/store-sqlite/src/A.ts": `const lazy = () => import("@muster/fleet")`
    },
    found: [
      `${core}/A.ts:1 core imports fleet`,
      `${fleet}/A.ts:1 fleet imports store-sqlite`,
      `${fleet}/B.ts:1 fleet imports cli`,
      "packages/store-sqlite/src/A.ts:1 store-sqlite imports fleet"
    ],
    fine: {
      [`${fleet}/A.ts`]: `import { x } from "@muster/core"`,
      "packages/cli/src/A.ts": `import { x } from "@muster/store-sqlite"`,
      "tests/a.test.ts": `import { x } from "@muster/cli"`
    }
  },
  {
    rule: /^core\/domain imports/,
    wrong: {
      [`${core}/domain/A.ts`]: `import { Effect, Option } from "effect"`,
      [`${core}/domain/B.ts`]: `import * as Clock from "effect/Clock"`,
      [`${core}/domain/C.ts`]: `import type { Store } from "../ports/Store.ts"`,
      [`${core}/domain/D.ts`]: `import { Schedule } from "effect"`,
      [`${core}/domain/E.ts`]: `import { createHash } from "node:crypto"`
    },
    found: [
      `${core}/domain/A.ts:1 imports Effect from effect`,
      `${core}/domain/B.ts:1 imports Clock from effect`,
      `${core}/domain/C.ts:1 imports ../ports/Store.ts, which is outside the domain`,
      `${core}/domain/D.ts:1 imports Schedule from effect`,
      `${core}/domain/E.ts:1 imports node:crypto`
    ],
    fine: {
      [`${core}/domain/A.ts`]: `import { Option, Schema, pipe } from "effect"`,
      [`${core}/domain/RetryPolicy.ts`]: `import { Schedule } from "effect"`,
      [`${core}/domain/errors/B.ts`]: `import { A } from "../A.ts"`,
      [`${core}/ports/Store.ts`]: `import { Effect } from "effect"`
    }
  },
  {
    rule: /^core\/testing and fleet\/testing are imported/,
    wrong: {
      [`${fleet}/A.ts`]: `import { storeSuite } from "@muster/core/testing"`,
      [`${core}/B.ts`]: `export * from "./testing/index.ts"`,
      [`${fleet}/C.ts`]: `import { simulate } from "./testing/simulate.ts"`,
      [`${fleet}/testing/D.ts`]: `import { storeSuite } from "@muster/core/testing"`
    },
    found: [
      `${fleet}/A.ts:1 imports @muster/core/testing`,
      `${core}/B.ts:1 imports ./testing/index.ts`,
      `${fleet}/C.ts:1 imports ./testing/simulate.ts`,
      `${fleet}/testing/D.ts:1 imports @muster/core/testing`
    ],
    fine: {
      [`${core}/testing/index.ts`]: `export * from "./StoreSuite.ts"`,
      [`${fleet}/testing/index.ts`]: `export * from "./simulate.ts"`,
      "scripts/simulate.ts": `import { simulate } from "@muster/fleet/testing"`,
      "packages/fleet/test/a.test.ts": `import { storeSuite } from "@muster/core/testing"`
    }
  },
  {
    rule: /^vitest is imported/,
    wrong: { [`${core}/A.ts`]: `import { it } from "@effect/vitest"` },
    found: [`${core}/A.ts:1 imports @effect/vitest`],
    fine: { [`${core}/testing/StoreSuite.ts`]: `import { it } from "@effect/vitest"` }
  },
  {
    rule: /^no Date\.now/,
    wrong: {
      [`${core}/A.ts`]: `export const now = () => [Date.now(), new Date(0), Math.random()]`,
      [`${fleet}/B.ts`]: `// why not\nsetTimeout(() => console.log(process.env.HOME), 1)`,
      [`${fleet}/adapters/C.ts`]: `import { a } from "./a.ts"\n\nexport const b = process.env["A"]`
    },
    found: [
      `${core}/A.ts:1 Date.now`,
      `${core}/A.ts:1 new Date`,
      `${core}/A.ts:1 Math.random`,
      `${fleet}/B.ts:2 setTimeout`,
      `${fleet}/B.ts:2 console.log`,
      `${fleet}/B.ts:2 process.env`,
      `${fleet}/adapters/C.ts:3 process.env without a comment that says why`
    ],
    fine: {
      [`${fleet}/adapters/A.ts`]: `export const b = process.env // the child's environment starts from ours`,
      [`${core}/B.ts`]: `export const at = (clock: { now: () => number }) => clock.now()`,
      "bench/a.ts": `console.log(Date.now())`
    }
  },
  {
    rule: /^Effect\.run\*/,
    wrong: {
      [`${fleet}/A.ts`]: `import { Effect as E } from "effect"\nE.runPromise(E.void)`,
      [`${fleet}/B.ts`]: `import { runSync } from "effect/Effect"\nrunSync(x)`,
      "packages/cli/src/Cli.ts": `import * as NodeRuntime from "@effect/platform-node/NodeRuntime"\nNodeRuntime.runMain(x)`
    },
    found: [
      `${fleet}/A.ts:2 E.runPromise`,
      `${fleet}/B.ts:2 runSync`,
      "packages/cli/src/Cli.ts:2 NodeRuntime.runMain"
    ],
    fine: {
      "packages/cli/src/main.ts": `import * as NodeRuntime from "@effect/platform-node/NodeRuntime"\nNodeRuntime.runMain(x)`,
      [`${fleet}/Embed.ts`]: `// A Promise facade for hosts without Effect.\nimport { Effect } from "effect"\nEffect.runPromise(x)`,
      [`${fleet}/C.ts`]: `runner.run()`
    }
  },
  {
    rule: /^a source file has at most/,
    wrong: {
      [`${core}/A.ts`]: long(301),
      "packages/core/test/a.test.ts": long(501),
      "examples/01-a.ts": long(61)
    },
    found: [
      `${core}/A.ts has 301 lines, more than 300`,
      "packages/core/test/a.test.ts has 501 lines, more than 500",
      "examples/01-a.ts has 61 lines, more than 60"
    ],
    fine: { [`${core}/A.ts`]: long(300), "tests/a.test.ts": long(500), "examples/01-a.ts": long(60) }
  },
  {
    rule: /^a service's id is its path/,
    wrong: {
      [`${core}/ports/Store.ts`]: `export class Store extends Context.Service<Store, {}>()("Store") {}`,
      [`${fleet}/loop/Mailbox.ts`]: `export const A = Context.Reference("@muster/fleet/Mailbox", { defaultValue })`
    },
    found: [
      `${core}/ports/Store.ts:1 Store should be @muster/core/ports/Store`,
      `${fleet}/loop/Mailbox.ts:1 @muster/fleet/Mailbox should be @muster/fleet/loop/Mailbox`
    ],
    fine: {
      [`${core}/ports/Store.ts`]: `export class Store extends Context.Service<Store, {}>()("@muster/core/ports/Store") {}`,
      [`${fleet}/A.ts`]: `export const B = Context.Service<{}>("@muster/fleet/A/B")`
    }
  },
  {
    rule: /^run-time imports have no cycles/,
    wrong: {
      [`${core}/A.ts`]: `import { b } from "./B.ts"`,
      [`${core}/B.ts`]: `export * from "./C.ts"`,
      [`${core}/C.ts`]: `import { type A } from "./A.ts"`
    },
    found: [`${core}/A.ts -> ${core}/B.ts -> ${core}/C.ts -> ${core}/A.ts`],
    fine: {
      [`${core}/A.ts`]: `import { b } from "./B.ts"`,
      [`${core}/B.ts`]: `import type { A } from "./A.ts"`,
      [`${core}/D.ts`]: `import { b } from "./B.ts"; import { a } from "./A.ts"`
    }
  },
  {
    rule: /^across packages only/,
    wrong: {
      [`${fleet}/A.ts`]: `import { x } from "@muster/core/domain/Job"`,
      [`${fleet}/B.ts`]: `import { x } from "@muster/fleet"`,
      [`${fleet}/C.ts`]: `import { x } from "./index.ts"`,
      [`${fleet}/D.ts`]: `import { x } from "./A"`,
      "packages/fleet/test/a.test.ts": `import { x } from "../../core/src/domain/Job.ts"`,
      "tests/a.test.ts": `import { x } from "../packages/core/src/index.ts"`
    },
    found: [
      `${fleet}/A.ts:1 @muster/core/domain/Job is not an entry of its package`,
      `${fleet}/B.ts:1 @muster/fleet is this package: import the file`,
      `${fleet}/C.ts:1 ./index.ts is a barrel: import the file`,
      `${fleet}/D.ts:1 ./A has no extension`,
      "packages/fleet/test/a.test.ts:1 ../../core/src/domain/Job.ts leaves the package: import it by name",
      "tests/a.test.ts:1 ../packages/core/src/index.ts reaches into a package: import it by name"
    ],
    fine: {
      [`${fleet}/A.ts`]: `import { x } from "@muster/core"; import { y } from "./B.ts"`,
      "packages/fleet/test/a.test.ts": `import { x } from "../src/A.ts"; import { s } from "@muster/core/testing"`
    }
  },
  {
    rule: /^no path says utils/,
    wrong: {
      [`${core}/utils/Hash.ts`]: "",
      [`${core}/types.ts`]: "",
      "packages/core/test/helpers.test.ts": ""
    },
    found: [`${core}/utils/Hash.ts`, `${core}/types.ts`, "packages/core/test/helpers.test.ts"],
    fine: { [`${core}/domain/TypeCheck.ts`]: "" }
  },
  {
    rule: /^effect\/sql only/,
    wrong: { [`${fleet}/A.ts`]: `import { SqlClient } from "effect/sql"` },
    found: [`${fleet}/A.ts:1 imports effect/sql`],
    fine: { "packages/store-sqlite/src/A.ts": `import { SqlClient } from "effect/sql"` }
  },
  {
    rule: /^SQL text only/,
    wrong: {
      [`${fleet}/A.ts`]: "export const q = sql`SELECT a, b\n  FROM job WHERE x = ${1}`",
      [`${core}/B.ts`]: `export const q = "PRAGMA data_version"`,
      "packages/cli/src/C.ts": "export const q = `UPDATE job SET state = ${1}`"
    },
    found: [
      `${fleet}/A.ts:1 "SELECT a, b\\n  FROM job WHERE x = ?"`,
      `${core}/B.ts:1 "PRAGMA data_version"`,
      'packages/cli/src/C.ts:1 "UPDATE job SET state = ?"'
    ],
    fine: {
      [`${core}/A.ts`]: `export const hint = "Select another store, or update it"`,
      "packages/store-sqlite/src/A.ts": "export const q = sql`DELETE FROM job`"
    }
  },
  {
    rule: /^node: modules/,
    wrong: {
      [`${core}/A.ts`]: `import { join } from "node:path"`,
      [`${fleet}/loop/B.ts`]: `import * as Http from "@effect/platform-node/NodeHttpServer"`
    },
    found: [
      `${core}/A.ts:1 imports node:path`,
      `${fleet}/loop/B.ts:1 imports @effect/platform-node/NodeHttpServer`
    ],
    fine: {
      [`${fleet}/adapters/A.ts`]: `import { join } from "node:path"`,
      [`${fleet}/control/A.ts`]: `import { createServer } from "node:net"`,
      "packages/store-sqlite/src/A.ts": `import { existsSync } from "node:fs"`
    }
  },
  {
    rule: /^no `any`/,
    wrong: {
      [`${core}/A.ts`]: `export const f = (x: any) => x\ntype G<A extends string = any> = A`,
      "tests/a.test.ts": `const xs: Array<any> = []`
    },
    found: [`${core}/A.ts:1 any`, `${core}/A.ts:2 any`, "tests/a.test.ts:1 any"],
    fine: {
      [`${core}/A.ts`]: `export type F<A extends (...args: Array<any>) => any> = A extends Layer<any> ? 1 : 2 // any`
    }
  },
  {
    rule: /^no non-null/,
    wrong: { [`${core}/A.ts`]: `export const a = xs\n  .at(0)!.b` },
    found: [`${core}/A.ts:2 !`],
    fine: { [`${core}/A.ts`]: `export const a = !xs && ys !== zs` }
  },
  {
    rule: /^an `as` or/,
    wrong: {
      [`${core}/A.ts`]: `export const a = 1\n\nexport const b = x as string`,
      [`${core}/B.ts`]: `export const b = <string>x`,
      [`${core}/C.ts`]: `// @ts-ignore it is broken\nexport const b = x\n// @ts-expect-error\nb.c()`
    },
    found: [
      `${core}/A.ts:3 as without a reason`,
      `${core}/B.ts:1 <T>value: use as, with its reason`,
      `${core}/C.ts:1 @ts-ignore`,
      `${core}/C.ts:3 @ts-expect-error without a reason`
    ],
    fine: {
      [`${core}/A.ts`]: `export const b = x as string // the driver hands out text columns as strings\nexport const c = ["a"] as const`,
      [`${core}/B.ts`]: `// the schema has just checked it\nexport const b = x as string\nimport * as C from "./C.ts"`,
      "tests/a.test.ts": `// @ts-expect-error a fleet without a store doesn't compile\nmake()`
    }
  },
  {
    rule: /^the tag of a Schema/,
    wrong: { [`${core}/A.ts`]: `export class A extends Schema.TaggedError<A>()("NotFound", {}) {}` },
    found: [`${core}/A.ts:1 NotFound is no code`],
    fine: {
      [`${core}/A.ts`]: `export class A extends Schema.TaggedError<A>()("ORCH_A", {}) {}`,
      [`${fleet}/B.ts`]: `class StartFailed extends Data.TaggedError("StartFailed")<{}> {}`
    }
  },
  {
    rule: /^each code is defined once/,
    wrong: {
      [`${core}/A.ts`]: `export class A extends Schema.TaggedError<A>()("ORCH_A", {}) {}`,
      [`${core}/B.ts`]: `class B extends Data.TaggedError("ORCH_A")<{}> {}\nclass C extends Schema.TaggedError<C>()("ORCH_A", {}) {}`
    },
    found: [
      `${core}/B.ts:1 ORCH_A is defined in ${core}/A.ts already`,
      `${core}/B.ts:2 ORCH_A is defined in ${core}/A.ts already`
    ],
    fine: {
      [`${core}/A.ts`]: `export class A extends Schema.TaggedError<A>()("ORCH_A", {}) {}`,
      "tests/a.test.ts": `class B extends Schema.TaggedError<B>()("ORCH_A", {}) {}`
    }
  },
  {
    rule: /^each code is raised/,
    wrong: {
      [`${core}/A.ts`]: `export class A extends Schema.TaggedError<A>()("ORCH_A", {}) {}`,
      [`${core}/testing/B.ts`]: `new A({})`,
      [`${core}/domain/DefaultCatalogue.ts`]: `export const rows = [{ code: "ORCH_A" }]`,
      "tests/a.test.ts": `new A({})`
    },
    found: [`${core}/A.ts:1 no new A: ORCH_A is never raised`],
    fine: {
      [`${core}/A.ts`]: `export class A extends Schema.TaggedError<A>()("ORCH_A", {}) {}`,
      [`${core}/B.ts`]: `export class B extends Schema.TaggedError<B>()("ORCH_B", {}) {}`,
      [`${core}/C.ts`]: `export class C extends Schema.TaggedError<C>()("ORCH_C", {}) {}`,
      [`${fleet}/A.ts`]: `new Errors.A({})\nnew B({})\nabandon({ code: "ORCH_C" })`
    }
  },
  {
    rule: /^no it\.only/,
    wrong: {
      "tests/a.test.ts": `it.only("a", f)\ndescribe.skip("b", f)\nit.effect.skip("c", f)\nit.todo("d")\nit.skipIf(x)("e", f)`
    },
    found: [
      "tests/a.test.ts:1 it.only",
      "tests/a.test.ts:2 describe.skip",
      "tests/a.test.ts:3 effect.skip",
      "tests/a.test.ts:4 it.todo",
      "tests/a.test.ts:5 it.skipIf"
    ],
    fine: {
      "tests/a.test.ts": `it.skipIf(isMac)("a", f) // no process groups by cookie on macOS\nStream.skip(1); filter.only`
    }
  },
  {
    rule: /^no sleeps/,
    wrong: {
      "tests/a.test.ts": `setTimeout(f, 10)`,
      "tests/b.test.ts": `import { setTimeout as wait } from "node:timers/promises"`,
      "tests/c.test.ts": `it.live("a", () => Effect.sleep(10))`
    },
    found: [
      "tests/a.test.ts:1 setTimeout",
      "tests/b.test.ts:1 node:timers/promises",
      "tests/c.test.ts:1 Effect.sleep beside it.live"
    ],
    fine: {
      "tests/a.test.ts": `it.effect("a", () => Effect.sleep("1 hour"))`,
      "tests/b.test.ts": `// another process has no event to wait for\nit.live("a", () => Effect.sleep(10))`
    }
  }
]

describe("a planted violation", () => {
  it.each(cases)("of the rule $rule is found, and what is allowed is not", ({ fine, found, rule, wrong }) => {
    const [checked, ...others] = rules.filter(({ name }) => rule.test(name))
    expect(others).toEqual([])
    expect(checked?.check(planted(wrong))).toEqual(found)
    expect(checked?.check(planted(fine))).toEqual([])
  })

  it("exists for every rule", () => {
    const elsewhere = new Set([everyPortHasASuite, everyImplementationRunsItsSuite]) // plantedPorts.test.ts
    const tried = (rule: Rule) => elsewhere.has(rule) || cases.some((tried) => tried.rule.test(rule.name))
    expect(rules.filter((rule) => !tried(rule)).map(({ name }) => name)).toEqual([])
  })
})
