// A stream as an async iterator: it is closed by whoever leaves it, by a signal and by its own end.
import { Context, Effect, Stream } from "effect"
import { describe, expect, it } from "vitest"
import { iterate } from "../../src/promise/Iteration.ts"

/** A stream of three numbers, or of more that never come, and whether it has been closed. */
const scene = (then: Stream.Stream<number> = Stream.empty) => {
  const closed = Promise.withResolvers<string>()
  const stream = Stream.ensuring(
    Stream.concat(Stream.make(1, 2, 3), then),
    Effect.sync(() => closed.resolve("closed"))
  )
  return { iterable: Stream.toAsyncIterableWith(stream, Context.empty()), closed: closed.promise }
}

describe("iterate", () => {
  it("hands on every element and ends with the stream", async () => {
    const { closed, iterable } = scene()
    const seen: Array<number> = []
    for await (const n of iterate(iterable, new AbortController().signal)) seen.push(n)
    expect(seen).toEqual([1, 2, 3])
    expect(await closed).toBe("closed")
  })

  it("closes the stream when the loop is left", async () => {
    const { closed, iterable } = scene(Stream.never)
    for await (const n of iterate(iterable, new AbortController().signal)) if (n === 2) break
    expect(await closed).toBe("closed")
  })

  it("rejects what waits with the signal's reason, closes the stream and is over", async () => {
    const { closed, iterable } = scene(Stream.never)
    const controller = new AbortController()
    const iterator = iterate(iterable, controller.signal)
    await iterator.next()
    await iterator.next()
    await iterator.next()
    const waiting = iterator.next()
    controller.abort("enough")
    await expect(waiting).rejects.toBe("enough")
    expect(await closed).toBe("closed")
    expect(await iterator.next()).toEqual({ done: true, value: undefined })
  })

  it("gives nothing where the signal was aborted before", async () => {
    const { iterable } = scene()
    await expect(iterate(iterable, AbortSignal.abort("before")).next()).rejects.toBe("before")
  })
})
