/**
 * A job's life as `muster timeline --json` tells it.
 */
import { isoInstant, type Job } from "@muster/core"
import * as Schema from "effect/Schema"
import type { Stretch } from "../timeline/Stretches.ts"

const StretchJson = Schema.Struct({
  subject: Schema.Literals(["job", "agent"]),
  state: Schema.String,
  incarnation: Schema.Int.annotate({
    description: "Which life of the agent, from 1; 0 before there was one"
  }),
  from: Schema.String,
  until: Schema.NullOr(Schema.String).annotate({ description: "Null while it lasts" }),
  millis: Schema.NullOr(Schema.Finite).annotate({ description: "How long it took; null while it lasts" }),
  left_by: Schema.NullOr(
    Schema.Struct({
      event: Schema.String,
      transition_reason: Schema.String,
      error_code: Schema.NullOr(Schema.String),
      actor: Schema.String
    })
  ).annotate({ description: "The move that ended it; null while it lasts" })
})

export const TimelineJson = Schema.Struct({
  job_id: Schema.String,
  workflow_type: Schema.String,
  current_state: Schema.String,
  complete: Schema.Boolean.annotate({
    description: "False where the story has more than the 1,000 newest events: then its beginning is missing"
  }),
  stretches: Schema.Array(StretchJson).annotate({
    description: "The states of the job in order, then those of its agent"
  })
})
export type TimelineJson = typeof TimelineJson.Type

export const timelineJson = (
  job: Job,
  stretches: ReadonlyArray<Stretch>,
  complete: boolean
): TimelineJson => ({
  job_id: job.jobId,
  workflow_type: job.workflowType,
  current_state: job.state,
  complete,
  stretches: stretches.map(({ from, incarnation, left, state, subject, until }) => ({
    subject,
    state,
    incarnation,
    from: isoInstant(from),
    until: until === null ? null : isoInstant(until),
    millis: until === null ? null : until - from,
    left_by:
      left === null
        ? null
        : {
            event: left.event,
            transition_reason: left.transitionReason,
            error_code: left.errorCode,
            actor: left.actor
          }
  }))
})
