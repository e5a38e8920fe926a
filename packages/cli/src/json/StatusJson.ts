/**
 * The fleet at a glance, as `muster status --json` tells it. Counts are the store's own: they cost the same at any size.
 */
import { type HostRow, type Intent, isoInstant, JobMachine, type TallyRows } from "@muster/core"
import * as Schema from "effect/Schema"
import { BreakerJson } from "./BreakerJson.ts"
import { ReflectionJson } from "./FacetJson.ts"
import { parsed } from "./Parsed.ts"
import { SourceJson } from "./SourceJson.ts"
import { ModeJson, OpenWishJson } from "./WishJson.ts"

const Counts = Schema.Struct({
  PENDING: Schema.Int,
  VALIDATING: Schema.Int,
  PROCESSING: Schema.Int,
  RETRY_SCHEDULED: Schema.Int,
  COMPLETED: Schema.Int,
  FAILED: Schema.Int,
  DEAD_LETTERED: Schema.Int,
  CANCELLED: Schema.Int
} satisfies Record<(typeof JobMachine.states)[number], typeof Schema.Int>)
export type Counts = typeof Counts.Type

export const HostJson = Schema.Struct({
  host: Schema.Int,
  epoch: Schema.Int,
  state: Schema.String.annotate({ description: "live, fenced or stopped, as the store has it" }),
  beating: Schema.Boolean.annotate({
    description: "Live, and its last beat is younger than a lease (15 s) by this machine's clock"
  }),
  answers: Schema.Boolean.annotate({
    description:
      "It has answered this very command over its socket: it is there, and commands act on it at once"
  }),
  beat_at: Schema.String,
  enlisted_at: Schema.String,
  mode: ModeJson,
  slots: Schema.NullOr(Schema.Int).annotate({
    description: "Those that an operator wants it to have, else those that it has banked; null until it has"
  }),
  used_slots: Schema.Int.annotate({ description: "Its agents that are alive" }),
  scarce: Schema.NullOr(Schema.String).annotate({
    description:
      "What was below its floor when it banked: it takes no new job until there is more; null for nothing"
  }),
  identity: Schema.Unknown.annotateKey({ description: "machine, boot id, pid, start time" })
})
export type HostJson = typeof HostJson.Type

export const StatusJson = Schema.Struct({
  store: Schema.Struct({
    id: Schema.String.annotate({ description: "The head of every job's id" }),
    path: Schema.String
  }),
  mode: ModeJson,
  pauses: Schema.Array(OpenWishJson).annotate({
    description: "The pauses in force, the oldest first: who paused, when and why"
  }),
  drains: Schema.Array(OpenWishJson).annotate({ description: "The drains that are not over" }),
  breakers: Schema.Array(BreakerJson).annotate({
    description: "Workflows whose jobs wait because too many attempts have failed, and until when"
  }),
  reflections: Schema.Array(ReflectionJson).annotate({
    description: "What facets have said within a day, the newest of each, the newest first (muster facets)"
  }),
  jobs: Counts.annotate({ description: "Jobs by state" }),
  workflows: Schema.Array(
    Schema.Struct({ workflow_type: Schema.String, total: Schema.Int, jobs: Counts })
  ).annotate({ description: "The same by workflow, in the order of their names" }),
  unserved: Schema.Array(Schema.String).annotate({
    description:
      "Workflows with jobs that wait, which no host that beats serves; all of those while none beats"
  }),
  oldest_ready_at: Schema.NullOr(Schema.String).annotate({
    description: "Since when the job waits that has been due for longest; null when none is due"
  }),
  dead_letters: Schema.Int.annotate({ description: "Letters of jobs that no replay has superseded" }),
  parked: Schema.Int.annotate({
    description: "Jobs that wait until somebody says what became of a step (muster settle)"
  }),
  undeliverable_messages: Schema.Int.annotate({
    description: "Messages between agents that nobody has taken, all that ever were"
  }),
  events: Schema.Int.annotate({ description: "The sequence of the last event" }),
  hosts: Schema.Array(HostJson).annotate({ description: "Those whose epoch is not over" }),
  bank: Schema.NullOr(
    Schema.Struct({ host: Schema.Int, banked_at: Schema.String, bank: Schema.Unknown })
  ).annotate({ description: "The latest snapshot that a host has banked; null when none ever was" }),
  source: SourceJson
})
export type StatusJson = typeof StatusJson.Type

/** No job in any state. */
export const noJobs: Counts = {
  PENDING: 0,
  VALIDATING: 0,
  PROCESSING: 0,
  RETRY_SCHEDULED: 0,
  COMPLETED: 0,
  FAILED: 0,
  DEAD_LETTERED: 0,
  CANCELLED: 0
}

const add = (counts: Counts, state: string, count: number): Counts => {
  const known = JobMachine.states.find((name) => name === state)
  return known === undefined ? counts : { ...counts, [known]: counts[known] + count }
}

export const total = (counts: Counts): number =>
  JobMachine.states.reduce((sum, state) => sum + counts[state], 0)

/** The tally's rows summed up by state, and by workflow and state. */
export const countsOf = (rows: TallyRows["jobs"]): Pick<StatusJson, "jobs" | "workflows"> => {
  const byWorkflow = new Map<string, Counts>()
  let all = noJobs
  for (const { count, state, workflow_type } of rows) {
    all = add(all, state, count)
    byWorkflow.set(workflow_type, add(byWorkflow.get(workflow_type) ?? noJobs, state, count))
  }
  const workflows = Array.from(byWorkflow, ([workflow_type, jobs]) => ({
    workflow_type,
    total: total(jobs),
    jobs
  })).filter((workflow) => workflow.total > 0)
  return {
    jobs: all,
    workflows: workflows.toSorted((a, b) => (a.workflow_type < b.workflow_type ? -1 : 1))
  }
}

/**
 * The workflows of jobs that wait and that none of the running hosts serves (R23).
 *
 * @param serving what each of them serves; null for one that hasn't said: it may serve anything
 */
export const unservedOf = (
  workflows: StatusJson["workflows"],
  serving: ReadonlyArray<ReadonlySet<string> | null>
): ReadonlyArray<string> =>
  workflows
    .filter(({ jobs }) => jobs.PENDING + jobs.RETRY_SCHEDULED > 0)
    .map(({ workflow_type }) => workflow_type)
    .filter((name) => serving.every((served) => served !== null && !served.has(name)))

/** What is known of a host beside its row. */
export interface HostSeen {
  /** Epoch ms. */
  readonly now: number
  /** A live host whose beat is older is silent. */
  readonly leaseMillis: number
  readonly control: Intent.Control
  /** Null: it has banked none. */
  readonly bankedSlots: number | null
  /** What its bank says is below its floor (R13); null: nothing. */
  readonly scarce: string | null
  readonly usedSlots: number
  /** Its socket has answered. */
  readonly answers: boolean
}

export const hostJson = (row: HostRow, seen: HostSeen): HostJson => ({
  host: row.host,
  epoch: row.epoch,
  state: row.state,
  beating: row.state === "live" && seen.now - row.beat_at < seen.leaseMillis,
  answers: seen.answers,
  beat_at: isoInstant(row.beat_at),
  enlisted_at: isoInstant(row.enlisted_at),
  mode: seen.control.paused ? "paused" : seen.control.draining ? "draining" : "running",
  slots: seen.control.slots ?? seen.bankedSlots,
  used_slots: seen.usedSlots,
  scarce: seen.scarce,
  identity: parsed(row.identity)
})
