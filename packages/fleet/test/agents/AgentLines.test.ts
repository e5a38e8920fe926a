// What is kept of an agent's lines, and who hears them live.
import { assert, describe, it } from "@effect/vitest"
import type { AgentEvent } from "@muster/core"
import { Effect, Fiber, Schema, Stream } from "effect"
import { AgentLines, lineBounds } from "../../src/agents/AgentLines.ts"

const line = (text: string): AgentEvent => ({ _tag: "Line", source: "stdout", text, cut: false })

const said = (lines: AgentLines, from: number, to: number) => {
  for (let n = from; n <= to; n++) lines.take(line(String(n)), n)
}

describe("the lines of an agent", () => {
  it.prop(
    "are the last ones, in order and numbered without a gap, however many there were",
    { count: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 * lineBounds.lines })) },
    ({ count }) => {
      const lines = new AgentLines(1)
      said(lines, 1, count)
      const kept = lines.last()
      assert.strictEqual(kept.length, Math.min(count, lineBounds.lines))
      kept.forEach(({ at, number, text }, index) => {
        assert.strictEqual(number, count - kept.length + index + 1)
        assert.deepStrictEqual([at, text], [number, String(number)])
      })
    }
  )

  it("are lines and progress messages, and nothing else that an agent says", () => {
    const lines = new AgentLines(3)
    lines.take({ _tag: "Heartbeat" }, 1)
    lines.take({ _tag: "Progress", message: "half way", fraction: 0.5 }, 2)
    lines.take({ _tag: "Usage", inputTokens: 1, outputTokens: 1, cost: null }, 3)
    assert.deepStrictEqual(lines.last(), [
      { number: 1, at: 2, incarnation: 3, source: "progress", text: "half way" }
    ])
  })

  it("are cut where they are too long", () => {
    const lines = new AgentLines(1)
    lines.take(line("x".repeat(65_536)), 1)
    assert.strictEqual(lines.last()[0]?.text.length, lineBounds.length)
  })

  it.effect("are heard from those that are kept on, each once, until the incarnation is over", () =>
    Effect.gen(function* () {
      const lines = new AgentLines(1)
      said(lines, 1, 3)
      const hearing = yield* Effect.forkChild(Stream.runCollect(lines.stream), { startImmediately: true })
      yield* Effect.yieldNow
      said(lines, 4, 6)
      lines.end()
      const heard = yield* Fiber.join(hearing)
      assert.deepStrictEqual(
        heard.map(({ number }) => number),
        [1, 2, 3, 4, 5, 6]
      )
      // Who comes later gets what is kept, and waits for nothing.
      assert.strictEqual((yield* Stream.runCollect(lines.stream)).length, 6)
    })
  )

  it.effect(
    "are lost to a listener that is too slow, who sees it by the numbers; the agent waits for nobody",
    () =>
      Effect.gen(function* () {
        const lines = new AgentLines(1)
        const hearing = yield* Effect.forkChild(Stream.runCollect(lines.stream), { startImmediately: true })
        yield* Effect.yieldNow
        said(lines, 1, 5 * lineBounds.waiting)
        lines.end()
        const heard = yield* Fiber.join(hearing)
        assert.isAtMost(heard.length, 2 * lineBounds.waiting)
        assert.strictEqual(heard.at(-1)?.number, 5 * lineBounds.waiting)
      })
  )
})
