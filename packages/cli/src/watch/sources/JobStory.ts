/**
 * The moves of one job as lines of its log: those that were, then those to come.
 */
import { type LifecycleEvent, seqOf, Store } from "@muster/core"
import { Effect, Stream } from "effect"
import { parsed } from "../../json/Parsed.ts"
import type { LogLine } from "../BoardSource.ts"

/** Moves before now that are shown. */
const before = 500
const pollMillis = 500

/** What was said with it: a message of a failure, or an operator's reason. */
const saying = ({ detail }: LifecycleEvent): string => {
  const value = parsed(detail)
  if (typeof value !== "object" || value === null) return ""
  const text: unknown = Reflect.get(value, "message") ?? Reflect.get(value, "reason")
  return typeof text === "string" && text !== "" ? `: ${text}` : ""
}

const textOf = (event: LifecycleEvent): string => {
  const { actor, errorCode, subjectKind, toState, transitionReason } = event
  const to = toState === null ? "" : ` → ${toState}`
  const code = errorCode === null ? "" : ` ${errorCode}`
  const by = actor.startsWith("operator:") ? ` by ${actor}` : ""
  return `${subjectKind} ${event.event}${to} (${transitionReason}${code})${by}${saying(event)}`
}

const lineOf = (event: LifecycleEvent): LogLine => ({
  at: event.occurredAt,
  source: "event",
  text: textOf(event)
})

/** Ends when the store can't be read. */
export const jobStory = (store: Store["Service"], jobId: string): Stream.Stream<ReadonlyArray<LogLine>> => {
  const seq = seqOf(store.id, jobId)
  if (seq === undefined) return Stream.empty
  let after = 0
  const read = Effect.gen(function* () {
    const isFirst = after === 0
    const events = isFirst
      ? (yield* store.events({ job: seq, after: 0, limit: before, order: "descending" })).toReversed()
      : yield* store.events({ job: seq, after, limit: before, order: "ascending" })
    after = events.at(-1)?.sequence ?? after
    return events.map(lineOf)
  }).pipe(Effect.catchTag("ORCH_STORE_BUSY", () => Effect.succeed([])))
  return Stream.fromEffect(read).pipe(
    Stream.concat(Stream.fromEffect(Effect.delay(read, pollMillis)).pipe(Stream.forever)),
    Stream.filter((lines) => lines.length > 0),
    Stream.catchCause(() => Stream.empty)
  )
}
