/**
 * The steps of an agent that is a program (R28, R32): its `marker` lines become markers of its job, in the order in which it writes them; with
 * `--stdin lines` the answers go back on its standard input, and its earlier steps are in its environment.
 */
import {
  type Assignment,
  BoundedText,
  type Emit,
  givenName,
  markerFault,
  MarkerInvalid,
  markerName,
  type Markers
} from "@muster/core"
import { type Cause, Effect, Fiber, FiberSet, Queue, Result } from "effect"
import type { Message } from "./LineProtocol.ts"

export type MarkerLine = Extract<Message, { readonly _tag: "Marker" }>

/** The system refuses a longer variable: 128 KiB on Linux, the name included. */
const longestVariable = 122_880

/**
 * The finished steps as a JSON object of their results, by the names that the agent gave; null for none. What is too long for a
 * variable fails, unless the agent also asks by `lines` and gets its results as answers: then it is null.
 */
export const variable = (
  { jobId }: Assignment,
  { finished }: Markers,
  answers: boolean
): Result.Result<string | null, MarkerInvalid> => {
  if (finished.size === 0) return Result.succeed(null)
  const members = Array.from(finished, ([name, result]) => `${JSON.stringify(givenName(name))}:${result}`)
  const text = `{${members.join(",")}}`
  if (BoundedText.fits(text, longestVariable)) return Result.succeed(text)
  if (answers) return Result.succeed(null)
  const detail = `the results of its finished steps take more than ${longestVariable} bytes; keep them small, or use --stdin lines`
  return Result.fail(new MarkerInvalid({ jobId, marker: "MUSTER_MARKERS", detail }))
}

export interface MarkerLinesOptions {
  readonly assignment: Assignment
  readonly markers: Markers
  readonly emit: Emit
  /** Writes a line to the agent's standard input; null where it takes none. */
  readonly answer: ((line: string) => void) | null
}

interface Answer {
  readonly ok: boolean
  readonly state?: string
  readonly result?: unknown
  readonly error?: string
}

/** Takes marker lines from a callback. In a scope: what was taken when it closes is still asked for, and not waited for. */
export const make = Effect.fnUntraced(function* (options: MarkerLinesOptions) {
  const { assignment, emit, markers } = options
  const lines = yield* Queue.unbounded<MarkerLine, Cause.Done>()
  const asking = yield* FiberSet.make()

  const reply = ({ name, state }: MarkerLine, answer: Answer): void => {
    if (options.answer !== null)
      options.answer(`${JSON.stringify({ type: "marker", name, state, ...answer })}\n`)
    else if (answer.error !== undefined)
      emit({ _tag: "Line", source: "log", text: `step "${name}": ${answer.error}`, cut: false })
  }

  const ask = Effect.fnUntraced(
    function* (line: MarkerLine) {
      const fault = markerFault(line.name)
      if (fault !== null) return reply(line, { ok: false, error: fault })
      const kept = markerName(line.name, line.scope, assignment.attempt)
      const stored = markers.finished.get(kept)
      // Done is done: the first result stays.
      if (stored !== undefined)
        return reply(line, { ok: true, state: "finished", result: JSON.parse(stored) })
      const ok = yield* line.state === "started"
        ? markers.start(kept)
        : markers.finish(kept, line.state === "finished" ? JSON.stringify(line.result ?? null) : null)
      return reply(line, ok ? { ok } : { ok, error: "this life of the agent no longer owns its job" })
    },
    (effect, line) =>
      Effect.catchTag(effect, "CONTRACT_MARKER_INVALID", ({ detail }) =>
        Effect.sync(() => reply(line, { ok: false, error: detail }))
      )
  )

  const consume = Effect.gen(function* () {
    for (;;)
      for (const line of yield* Queue.takeAll(lines))
        // Each asks at once, so that the order of asking is the order of writing; the answers are waited for beside each other.
        yield* FiberSet.run(asking, ask(line), { startImmediately: true })
  })
  const drain = (consumer: Fiber.Fiber<void>) => Effect.andThen(Queue.end(lines), Fiber.await(consumer))
  const consumer = yield* Effect.acquireRelease(
    Effect.forkDetach(Effect.ignore(consume), { startImmediately: true }),
    drain
  )

  return {
    take: (line: MarkerLine): void => {
      emit({ _tag: "Line", source: "log", text: `step "${line.name}" ${line.state}`, cut: false })
      Queue.offerUnsafe(lines, line)
    },
    /** Returns when everything that was taken has been asked for: an agent's last word comes after its steps. */
    drained: Effect.asVoid(drain(consumer))
  }
})
