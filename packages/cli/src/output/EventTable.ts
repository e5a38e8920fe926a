/**
 * Events as lines for people: what moved, by which event, to where, why, and by whom.
 */
import { isoInstant, type LifecycleEvent, Outcome } from "@muster/core"
import * as Option from "effect/Option"
import { parsed } from "../json/Parsed.ts"
import { paintState } from "./Style.ts"
import type { Column } from "./Table.ts"

const subject = ({ jobId, subjectKind }: LifecycleEvent): string =>
  subjectKind === "agent" ? "agent" : jobId === null ? "host" : "job"

/** What somebody said with it, as an operator who cancels. */
const saying = (event: LifecycleEvent): string => {
  const detail = parsed(event.detail)
  const hasReason = typeof detail === "object" && detail !== null && "reason" in detail
  return hasReason && typeof detail.reason === "string" ? `: ${detail.reason}` : ""
}

const reasonOf = (event: LifecycleEvent): string =>
  `${[event.transitionReason, ...(event.errorCode === null ? [] : [event.errorCode])].join(" ")}${saying(event)}`

/** The reason, the code where there is one, and the words of whoever gave some; of a reflection what its facet says. */
const why = (event: LifecycleEvent): string =>
  Option.match(Outcome.detailIn(event), {
    onNone: () => reasonOf(event),
    onSome: ({ facet, sentence }) => `${facet}: ${sentence}`
  })

const move: ReadonlyArray<Column<LifecycleEvent>> = [
  { title: "event", value: (event) => `${subject(event)} ${event.event}` },
  {
    title: "to",
    value: ({ toState }) => toState ?? "",
    paint: (style, { toState }, text) => (toState === null ? text : paintState(style, toState, text))
  },
  { title: "reason", value: why, shrinkTo: 12 }
]

const sequence: Column<LifecycleEvent> = {
  title: "#",
  align: "right",
  value: (event) => String(event.sequence)
}

/** Events of many jobs, each with the full time of day in UTC. */
export const eventColumns: ReadonlyArray<Column<LifecycleEvent>> = [
  sequence,
  { title: "at (UTC)", value: ({ occurredAt }) => isoInstant(occurredAt).slice(11, 23) },
  { title: "job", value: ({ jobId }) => jobId ?? "" },
  ...move,
  { title: "actor", value: ({ actor }) => actor, shrinkTo: 6 }
]

/** Events of one job, in short: times count from its first event. */
export const storyColumns = (start: number): ReadonlyArray<Column<LifecycleEvent>> => [
  sequence,
  {
    title: "after",
    align: "right",
    value: ({ occurredAt }) => `${((occurredAt - start) / 1_000).toFixed(3)}s`
  },
  ...move
]
