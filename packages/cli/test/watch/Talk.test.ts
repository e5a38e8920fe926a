import { assert, describe, it } from "@effect/vitest"
import { lineOf } from "../../src/watch/Talk.ts"

describe("what is said below a board", () => {
  it.each([
    ["one\ntwo\n\n", "two"],
    ["", ""],
    ["\n", ""],
    [
      "[22:01:01.991] WARN (#70): too many attempts fail: its jobs wait\n",
      "too many attempts fail: its jobs wait"
    ],
    ["[22:01:01.991] WARN (#70) turn=3ms commit=12ms: slow\n", "slow"],
    [
      "\u001B[2m[22:01:01.991]\u001B[0m \u001B[33mWARN\u001B[0m (#7): it fails\n  at one\n  at two\n",
      "it fails"
    ]
  ])("%j is told as %j", (text, line) => {
    assert.strictEqual(lineOf(text), line)
  })
})
