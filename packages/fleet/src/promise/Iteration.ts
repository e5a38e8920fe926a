/**
 * Streams as async iterators that an AbortSignal ends and that close what is behind them when they are left early.
 */
import { abortError } from "./Rejections.ts"

/** An iterator over a stream: an aborted signal ends it with its reason, and whoever leaves it closes the stream. */
export const iterate = <A>(stream: AsyncIterable<A>, signal: AbortSignal): AsyncIterableIterator<A> => {
  const source = stream[Symbol.asyncIterator]()
  const aborted = Promise.withResolvers<never>()
  // an abort that nobody waits for is no unhandled rejection
  aborted.promise.catch(() => undefined)
  const abort = () => aborted.reject(abortError(signal))
  if (signal.aborted) abort()
  signal.addEventListener("abort", abort)
  const over = { done: true, value: undefined } as const
  let isOver = false
  const end = async () => {
    isOver = true
    signal.removeEventListener("abort", abort)
    await source.return?.()
    return over
  }
  return {
    next: async () => {
      if (isOver) return over
      try {
        const next = await Promise.race([aborted.promise, source.next()])
        return next.done === true ? await end() : next
      } catch (error) {
        await end()
        throw error
      }
    },
    return: end,
    [Symbol.asyncIterator]() {
      return this
    }
  }
}
