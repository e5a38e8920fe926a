/**
 * A Promise facade's way over: an effect becomes a promise that rejects with the tagged error itself. Interruption becomes the rejection
 * that async code knows: the signal's reason, or an AbortError.
 */
import { Cause, type Context, Effect, Exit } from "effect"

/** What waits and calls reject with when the fleet is closed under them. */
export const closedError = (): DOMException => new DOMException("The fleet is closed.", "AbortError")

/** What an interrupted effect rejects with. */
export const abortError = (signal: AbortSignal | undefined): unknown =>
  // whoever aborts says why; without a word of theirs it is an AbortError
  signal?.aborted === true ? signal.reason : closedError()

const rejection = (cause: Cause.Cause<unknown>, signal: AbortSignal | undefined): unknown =>
  Cause.hasInterruptsOnly(cause) ? abortError(signal) : Cause.squash(cause)

/** Runs effects with what is given. An aborted signal interrupts. */
export const runnerWith =
  <R>(context: Context.Context<R>) =>
  async <A, E>(effect: Effect.Effect<A, E, R>, signal?: AbortSignal): Promise<A> => {
    signal?.throwIfAborted()
    const exit = await Effect.runPromiseExitWith(context)(effect, signal === undefined ? {} : { signal })
    if (Exit.isSuccess(exit)) return exit.value
    throw rejection(exit.cause, signal)
  }
