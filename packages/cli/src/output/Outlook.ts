/**
 * What happens next with a job, in one sentence for people. Says only what its row says.
 */
import { isoInstant, type Job, readHold } from "@muster/core"
import type { BreakerJson } from "../json/BreakerJson.ts"
import { breakerLine } from "./BreakerLine.ts"
import { relative } from "./Duration.ts"
import { oneLine } from "./Text.ts"

export interface Beside {
  /** Epoch ms. */
  readonly now: number
  /** An operator's cancel is recorded and not answered. */
  readonly cancelRequested: boolean
  /** Some host gives a sign of life. */
  readonly hostBeats: boolean
  /** An operator has paused the fleet. */
  readonly paused: boolean
  /** What holds the jobs of its workflow back; null: nothing. */
  readonly breaker: BreakerJson | null
  /** Epoch ms until when the outside asked for patience; null: it didn't. */
  readonly heldUntil: number | null
}

/** The steps that a parked job asks about, and how to answer. */
const parked = ({ hold, seq }: Job): string | null => {
  const asked = readHold(hold)
  if (asked === null) return null
  const steps = asked.markers.map((marker) => `"${oneLine(marker)}"`).join(", ")
  const which = asked.markers.length === 1 ? "" : " MARKER"
  return `It waits for an answer: its agent began ${steps} and ended before it could tell; was it done? Look at what the step writes to, then: muster settle ${seq}${which} --done [--result JSON], --not-done, or --fail --reason TEXT.`
}

const waiting = (job: Job, { breaker, heldUntil, hostBeats, now, paused }: Beside): string => {
  const nth = (job.agent?.incarnation ?? 0) + 1
  if (job.agent?.standing === "landing_unknown") {
    const soon = job.runAt > now ? relative(job.runAt, now) : "as soon as a slot is free"
    return `Nobody knows whether it has landed: its lander is asked ${soon}, before anything else${hostBeats ? "" : "; no host is running now"}.`
  }
  const what = job.state === "PENDING" ? "starts" : `is tried again (life ${nth} of its agent)`
  const when =
    job.runAt > now ? `${relative(job.runAt, now)}, when a slot is free` : "as soon as a slot is free"
  if (paused) return `It ${what} when the fleet goes on: it is paused (muster resume).`
  if (breaker !== null)
    return `It waits, and burns nothing, as all jobs of its workflow do: ${breakerLine(breaker, now)}.`
  if (heldUntil !== null)
    return `It is held until ${isoInstant(heldUntil)}, ${relative(heldUntil, now)}: the outside asked for patience (${job.lastErrorCode}). That burns no attempt.`
  return `It ${what} ${when}${hostBeats ? "" : "; no host is running now"}.`
}

const working = (job: Job, { hostBeats }: Beside): string => {
  const { agent } = job
  if (agent === null) return "A host is taking it."
  const asks = agent.standing === "landing_unknown" ? ", asking whether it has landed" : ""
  const phase = agent.phase === null ? "working" : `in phase ${agent.phase}${asks}`
  const who = agent.owner === null ? "" : ` on host ${agent.owner.host}`
  const lost = hostBeats ? "" : " No host gives a sign of life: the next one to start takes it over."
  return `Life ${agent.incarnation} of its agent is ${phase}${who}.${lost}`
}

const closing = ({ agent }: Job): string => {
  if (agent === null || agent.state === "tombstoned") return ""
  return agent.hung
    ? " Its agent did not end in time and was given up."
    : " Its agent is still being archived and cleaned up."
}

const over = (job: Job): string => {
  switch (job.state) {
    case "COMPLETED":
      return `Nothing: it is done, and its result is kept.${closing(job)}`
    case "CANCELLED":
      return job.supersededBy === null
        ? `Nothing: it was cancelled.${closing(job)}`
        : `Nothing: it was cancelled, and job ${job.supersededBy} replays it.${closing(job)}`
    case "DEAD_LETTERED":
      return job.supersededBy === null
        ? `Nothing by itself: it is kept as a dead letter (muster dlq show ${job.seq}).${closing(job)}`
        : `Nothing: job ${job.supersededBy} replays it.${closing(job)}`
    default:
      return `Nothing: it has failed for good.${closing(job)}`
  }
}

export const outlook = (job: Job, beside: Beside): string => {
  if (job.state === "PENDING" || job.state === "RETRY_SCHEDULED") {
    if (beside.cancelRequested) return "A cancel is recorded: a host carries it out."
    return parked(job) ?? waiting(job, beside)
  }
  if (job.state === "PROCESSING" || job.state === "VALIDATING") {
    const wish = beside.cancelRequested ? " A cancel is recorded: its host carries it out." : ""
    return `${working(job, beside)}${wish}`
  }
  return over(job)
}
