/**
 * A job as `muster show --json` tells it: the envelope, and beside it all that the store keeps of the job.
 */
import {
  type Agent,
  agentId,
  AgentMachine,
  dispositions,
  envelope,
  isoInstant,
  JobEnvelope,
  jobId,
  LifecycleEventJson,
  phases,
  standings,
  type StoredJob
} from "@muster/core"
import * as Schema from "effect/Schema"
import { BreakerJson } from "./BreakerJson.ts"
import { ChainJson } from "./ChainJson.ts"
import { LetterJson } from "./LetterJson.ts"
import { MarkerJson } from "./MarkerJson.ts"
import { parsed } from "./Parsed.ts"
import { RetryJson } from "./RetryJson.ts"

export const AgentJson = Schema.Struct({
  agent_id: Schema.String,
  state: Schema.Literals(AgentMachine.states),
  incarnation: Schema.Int.annotate({ description: "Which life of the agent, from 1" }),
  owner: Schema.NullOr(Schema.Struct({ host: Schema.Int, epoch: Schema.Int })).annotate({
    description: "The host that has it, with its fencing token; null while nobody does"
  }),
  standing: Schema.NullOr(Schema.Literals(standings)).annotate({
    description: "Where an abandoned agent stands; null in every other state"
  }),
  phase: Schema.NullOr(Schema.Literals(phases)).annotate({
    description: "What the living incarnation is doing; null when none lives"
  }),
  hung: Schema.Boolean.annotate({ description: "Its last life did not end in time and was given up" }),
  restarts: Schema.Array(Schema.String).annotate({
    description: "Instants of the recoveries that burned no attempt and count in the restart budget"
  }),
  steps: Schema.Array(Schema.String).annotate({
    description:
      "Steps that it has begun and not finished: while no life goes on, nobody knows whether they were done"
  }),
  workspace: Schema.NullOr(Schema.String),
  disposition: Schema.NullOr(Schema.Literals(dispositions)).annotate({
    description: "How its work ended; null before the tombstone"
  })
})
export type AgentJson = typeof AgentJson.Type

export const JobJson = Schema.Struct({
  ...JobEnvelope.fields,
  superseded_by: Schema.NullOr(Schema.String).annotate({
    description: "The replay that took over this job's key; null while the key is its own"
  }),
  chain: ChainJson,
  agent: Schema.NullOr(AgentJson).annotate({ description: "Null until the job was accepted" }),
  payload: Schema.Unknown,
  result: Schema.Unknown.annotateKey({ description: "Null until the job has COMPLETED" }),
  hold: Schema.Unknown.annotateKey({
    description:
      "Why the job is parked until somebody settles it, with the steps in question; null while it is not"
  }),
  held_until: Schema.NullOr(Schema.String).annotate({
    description:
      "Until when it waits because the outside asked for patience (a rate limit), which burns no attempt; null while it doesn't"
  }),
  breaker: Schema.NullOr(BreakerJson).annotate({
    description: "What holds the jobs of its workflow back; null while nothing does, or while it doesn't wait"
  }),
  retries: Schema.Array(RetryJson).annotate({
    description: "The retry log: each failed attempt that was followed by another, the oldest first"
  }),
  markers: Schema.Array(MarkerJson).annotate({
    description: "What its agents have begun and finished, and the runtime's own markers"
  }),
  dead_letter: Schema.NullOr(LetterJson),
  cancel_requested: Schema.Boolean.annotate({
    description: "An operator's cancel is recorded and no host has answered it yet"
  }),
  next: Schema.String.annotate({ description: "What happens next, in one sentence for people" }),
  events: Schema.Array(LifecycleEventJson).annotate({ description: "The newest 1,000, the oldest first" })
})
export type JobJson = typeof JobJson.Type

const agentJson = (job: string, agent: Agent): AgentJson => ({
  agent_id: agentId(job),
  state: agent.state,
  incarnation: agent.incarnation,
  owner: agent.owner,
  standing: agent.standing,
  phase: agent.phase,
  hung: agent.hung,
  restarts: agent.restarts.map(isoInstant),
  steps: agent.steps,
  workspace: agent.workspace,
  disposition: agent.disposition
})

export const jobJson = (
  storeId: string,
  { job, payload, result }: StoredJob,
  beside: Pick<
    JobJson,
    | "breaker"
    | "held_until"
    | "chain"
    | "markers"
    | "retries"
    | "dead_letter"
    | "cancel_requested"
    | "next"
    | "events"
  >
): JobJson => ({
  ...envelope(job),
  superseded_by: job.supersededBy === null ? null : jobId(storeId, job.supersededBy),
  chain: beside.chain,
  agent: job.agent === null ? null : agentJson(job.jobId, job.agent),
  payload: parsed(payload),
  result: parsed(result),
  hold: parsed(job.hold),
  held_until: beside.held_until,
  breaker: beside.breaker,
  retries: beside.retries,
  markers: beside.markers,
  dead_letter: beside.dead_letter,
  cancel_requested: beside.cancel_requested,
  next: beside.next,
  events: beside.events
})
