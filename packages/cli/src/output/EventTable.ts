/**
 * Events as lines for people: what moved, by which event, to where, why, and by whom.
 */
import type { LifecycleEvent } from "@muster/core"
import { isoInstant } from "@muster/core"
import { paintState } from "./Style.ts"
import type { Column } from "./Table.ts"

const subject = ({ jobId, subjectKind }: LifecycleEvent): string =>
  subjectKind === "agent" ? "agent" : jobId === null ? "host" : "job"

/** The reason, and the code where there is one. */
const why = ({ errorCode, transitionReason }: LifecycleEvent): string =>
  errorCode === null ? transitionReason : `${transitionReason} ${errorCode}`

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

/** Events of one job: times count from its first event. */
export const storyColumns = (start: number): ReadonlyArray<Column<LifecycleEvent>> => [
  sequence,
  {
    title: "after",
    align: "right",
    value: ({ occurredAt }) => `${((occurredAt - start) / 1_000).toFixed(3)}s`
  },
  ...move,
  { title: "actor", value: ({ actor }) => actor, shrinkTo: 6 }
]
