// Tests wait for events and leave no silent holes.
import { at, type Rule } from "./Rule.ts"
import { isExplained, type Source } from "./Source.ts"
import { isTest } from "./Tree.ts"

const modifiers = new Set(["only", "skip", "todo", "fails", "skipIf", "runIf"])
const blocks = new Set(["it", "test", "describe", "effect", "live", "prop"])

/** `it.only`, `describe.skip`, `it.effect.skip` and their like. */
const modified = (
  source: Source
): ReadonlyArray<readonly [line: number, block: string, modifier: string]> => {
  const found: Array<readonly [number, string, string]> = []
  source.walk({
    MemberExpression: ({ object, property, end }) => {
      if (property.type !== "Identifier" || !modifiers.has(property.name)) return
      const block =
        object.type === "Identifier"
          ? object.name
          : object.type === "MemberExpression" && object.property.type === "Identifier"
            ? object.property.name
            : ""
      if (blocks.has(block)) found.push([source.lineAt(end), block, property.name])
    }
  })
  return found
}

export const noHoles: Rule = {
  name: "no it.only, and no it.skip, it.todo, it.fails, skipIf or runIf without a reason beside it",
  because: "a test that doesn't run protects nothing, and a silent hole is taken for safety",
  check: (tree) =>
    tree
      .filter(({ path }) => isTest(path))
      .flatMap((source) =>
        modified(source)
          .filter(([line, , modifier]) => modifier === "only" || !isExplained(source, line))
          .map(([line, block, modifier]) => at(source, line, `${block}.${modifier}`))
      )
}

const timers = new Set(["setTimeout", "setInterval"])

const isLive = (source: Source): boolean => {
  let live = false
  source.walk({
    MemberExpression: ({ property }) => {
      if (property.type === "Identifier" && property.name === "live") live = true
    }
  })
  return live
}

/** Real waits. In it.effect Effect.sleep runs on the TestClock and costs nothing, so only files with it.live count. */
const sleeps = (source: Source): ReadonlyArray<readonly [line: number, what: string]> => {
  const found: Array<readonly [number, string]> = []
  const live = isLive(source)
  source.walk({
    CallExpression: ({ callee, start }) => {
      if (callee.type === "Identifier" && timers.has(callee.name))
        found.push([source.lineAt(start), callee.name])
      if (!live || callee.type !== "MemberExpression") return
      const { object, property } = callee
      if (object.type !== "Identifier" || property.type !== "Identifier" || object.name !== "Effect") return
      if (property.name === "sleep" || property.name === "delay")
        found.push([source.lineAt(property.start), `Effect.${property.name} beside it.live`])
    }
  })
  const imported = source.imports
    .filter(({ specifier }) => specifier === "node:timers/promises")
    .map(({ line, specifier }) => [line, specifier] as const)
  return [...found, ...imported]
}

export const noSleeps: Rule = {
  name: "no sleeps in tests: no timers, and no Effect.sleep where the clock is real, unless a comment says why",
  because: "a test waits for an event; a wait for time is slow on a good day and wrong on a bad one",
  check: (tree) =>
    tree
      .filter(({ path }) => isTest(path))
      .flatMap((source) =>
        sleeps(source)
          .filter(([line]) => !isExplained(source, line))
          .map(([line, what]) => at(source, line, what))
      )
}
