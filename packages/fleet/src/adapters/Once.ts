/**
 * `once` for agents that run in this process (R28): a step's start is durable before it runs and its result after; a finished one is not
 * done again. Over the markers that every runner gets, so that authors of other runners can offer it too.
 */
import {
  type AgentContext,
  type Assignment,
  BoundedText,
  limits,
  MarkerInvalid,
  markerFault,
  markerName,
  type Markers,
  type OnceOptions
} from "@muster/core"
import { Effect, Result, Schema, Semaphore } from "effect"

/** Reads and writes the result of a step as the JSON text that is kept. */
const codecOf = <A>(
  result: Schema.Codec<A, unknown> | undefined,
  refused: (detail: string) => MarkerInvalid
) => {
  if (result === undefined)
    return {
      // Without a schema the result is JSON data by its author's word.
      read: (data: unknown) => Effect.succeed(data as A),
      write: (value: A): Result.Result<unknown, MarkerInvalid> => Result.succeed(value)
    }
  const codec = Schema.toCodecJson(result)
  const decode = Schema.decodeUnknownEffect(codec)
  const encode = Schema.encodeUnknownResult(codec)
  return {
    read: (data: unknown) =>
      Effect.mapError(decode(data), (issue) => refused(`its stored result doesn't fit: ${issue.message}`)),
    write: (value: A): Result.Result<unknown, MarkerInvalid> =>
      Result.mapError(encode(value), (issue) => refused(`its result doesn't fit: ${issue.message}`))
  }
}

/** The `once` of one incarnation. */
export const make = (assignment: Assignment, markers: Markers): AgentContext["once"] => {
  /** Two fibers of one agent that ask for the same step: the second waits for what the first one brings. */
  const turns = new Map<string, Semaphore.Semaphore>()
  const turnOf = (kept: string): Semaphore.Semaphore => {
    const turn = turns.get(kept) ?? Semaphore.makeUnsafe(1)
    turns.set(kept, turn)
    return turn
  }

  return <A, E, R>(
    name: string,
    step: Effect.Effect<A, E, R> | ((key: string) => Effect.Effect<A, E, R>),
    options: OnceOptions<A, E> = {}
  ) => {
    const kept = markerName(name, options.scope ?? "job", assignment.attempt)
    const refused = (detail: string) => new MarkerInvalid({ jobId: assignment.jobId, marker: name, detail })
    const codec = codecOf(options.result, refused)
    const effect = Effect.suspend(() =>
      Effect.isEffect(step) ? step : step(`${assignment.idempotencyKey}:${kept}`)
    )
    const fault = markerFault(name)
    const begin = Effect.suspend(() => (fault === null ? markers.start(kept) : refused(fault)))
    const end = (json: string | null) => Effect.suspend(() => markers.finish(kept, json))
    const encode = (value: A) =>
      Result.flatMap(codec.write(value), (data) =>
        Result.mapError(BoundedText.encodeJson(data, limits.markerBytes), ({ detail }) => refused(detail))
      )
    // What comes back is what a later incarnation would get.
    const read = (json: string) => Effect.suspend(() => codec.read(JSON.parse(json)))

    const run = Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const stored = markers.finished.get(kept)
        if (stored !== undefined) return yield* read(stored)
        // A refusal means that this incarnation is over: what it would still do must not happen.
        if (!(yield* restore(begin))) return yield* Effect.interrupt
        const value = yield* Effect.tapError(restore(effect), (error) =>
          options.isNotDone?.(error) === true ? end(null) : Effect.void
        )
        const json = yield* Effect.fromResult(encode(value))
        // It is done, and nothing may keep that from being written.
        return (yield* end(json)) ? yield* read(json) : yield* Effect.interrupt
      })
    )
    return turnOf(kept).withPermit(run)
  }
}
