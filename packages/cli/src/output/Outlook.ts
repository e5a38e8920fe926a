/**
 * What happens next with a job, in one sentence for people. Says only what its row says.
 */
import type { Job } from "@muster/core"
import { relative } from "./Duration.ts"

export interface Beside {
  /** Epoch ms. */
  readonly now: number
  /** An operator's cancel is recorded and not answered. */
  readonly cancelRequested: boolean
  /** Some host gives a sign of life. */
  readonly hostBeats: boolean
}

const waiting = (job: Job, { hostBeats, now }: Beside): string => {
  const nth = (job.agent?.incarnation ?? 0) + 1
  const what = job.state === "PENDING" ? "starts" : `is tried again (life ${nth} of its agent)`
  const when =
    job.runAt > now ? `${relative(job.runAt, now)}, when a slot is free` : "as soon as a slot is free"
  return `It ${what} ${when}${hostBeats ? "" : "; no host is running now"}.`
}

const working = (job: Job, { hostBeats }: Beside): string => {
  const { agent } = job
  if (agent === null) return "A host is taking it."
  const phase = agent.phase === null ? "working" : `in phase ${agent.phase}`
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
      return `Nothing: it was cancelled.${closing(job)}`
    case "DEAD_LETTERED":
      return `Nothing by itself: it is kept as a dead letter (muster dlq show ${job.seq}).${closing(job)}`
    default:
      return `Nothing: it has failed for good.${closing(job)}`
  }
}

export const outlook = (job: Job, beside: Beside): string => {
  if (job.state === "PENDING" || job.state === "RETRY_SCHEDULED") {
    return beside.cancelRequested ? "A cancel is recorded: a host carries it out." : waiting(job, beside)
  }
  if (job.state === "PROCESSING" || job.state === "VALIDATING") {
    const wish = beside.cancelRequested ? " A cancel is recorded: its host carries it out." : ""
    return `${working(job, beside)}${wish}`
  }
  return over(job)
}
