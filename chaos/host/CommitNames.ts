/**
 * What a unit of work brings about, in a word or several: the names of the commits that a host may be killed around.
 */
import type { ChangeRow, CommitRows, EventDraftRow, MarkerRow } from "@muster/core"

export type CommitName =
  | "submitted"
  | "dispatched"
  | "recovered"
  | "prepared"
  | "begun"
  | "done"
  | "worked"
  | "landing"
  | "landed"
  | "archived"
  | "tombstoned"
  | "retried"
  | "quarantined"
  | "cancelled"
  | "adopted"

const byEvent: { readonly [event: string]: CommitName } = {
  "agent.dispatch": "dispatched",
  "agent.recover": "recovered",
  "agent.prepare": "prepared",
  "agent.land": "landed",
  "agent.clean": "tombstoned",
  "agent.tombstone": "tombstoned",
  "job.dead_letter": "quarantined",
  "job.cancel": "cancelled"
}

const ofEvent = ({ event, subject_kind, transition_reason }: EventDraftRow): CommitName | undefined => {
  if (transition_reason === "host_lost") return "adopted"
  if (event === "schedule_retry") return "retried"
  return byEvent[`${subject_kind}.${event}`]
}

/** Steps of agents, not of the runtime itself. */
const ofMarker = ({ name, state }: MarkerRow): CommitName | undefined => {
  if (name === "commit") return "worked"
  if (name === "archive") return "archived"
  return state === "started" ? "begun" : "done"
}

const ofChange = ({
  contested,
  events,
  markers,
  state
}: ChangeRow): ReadonlyArray<CommitName | undefined> => [
  ...events.map(ofEvent),
  ...markers.map(ofMarker),
  state.phase === "land" ? "landing" : undefined,
  // A closing agent of a lost host is taken over without a move.
  contested && events.length === 0 ? "adopted" : undefined
]

/** All names of a unit, each once. */
export const namesOf = (unit: CommitRows): ReadonlySet<CommitName> => {
  const found = unit.changes.flatMap(ofChange).filter((name) => name !== undefined)
  return new Set(unit.inserts.length > 0 ? [...found, "submitted"] : found)
}
