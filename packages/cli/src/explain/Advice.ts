/**
 * What somebody can do about a job as it stands: commands, each with what it would do. Only such as would not be refused.
 */
import { isOver, type Job, readHold } from "@muster/core"
import type { Advice } from "../json/ExplainJson.ts"

export interface Circumstances {
  readonly paused: boolean
  readonly hostBeats: boolean
  /** Whether the configuration at hand has the job's workflow: `lacks` of one that has others; null where none is at hand, or it has none. */
  readonly configured: "has" | "lacks" | null
  /** An operator's cancel is recorded and not answered. */
  readonly cancelRequested: boolean
  /** What its living agent asks; null where it asks nothing, or nobody can say. */
  readonly question: string | null
  /** Of a quarantined job; null where there is no letter. */
  readonly letter: { readonly eligible: boolean; readonly discarded: boolean } | null
}

const look = ({ seq }: Job): ReadonlyArray<Advice> => [
  { command: `muster show ${seq}`, effect: "tells its whole story" },
  { command: `muster timeline ${seq}`, effect: "draws it" }
]

const cancel = ({ seq }: Job, { cancelRequested }: Circumstances): ReadonlyArray<Advice> =>
  cancelRequested ? [] : [{ command: `muster cancel ${seq}`, effect: "ends it for good" }]

const host = ({ workflowType }: Job, { configured }: Circumstances): Advice => {
  if (configured === null)
    return { command: "muster run -- COMMAND", effect: "starts a host, which takes the jobs of its workflow" }
  const effect =
    configured === "has"
      ? "starts a host, which takes the jobs of its workflows"
      : `starts a host; it takes this job once the configuration has the workflow ${workflowType}`
  return { command: "muster run", effect }
}

const waiting = (job: Job, given: Circumstances): ReadonlyArray<Advice> => {
  const asked = readHold(job.hold)
  const which = asked !== null && asked.markers.length > 1 ? " MARKER" : ""
  const settle: ReadonlyArray<Advice> =
    asked === null
      ? []
      : [
          {
            command: `muster settle ${job.seq}${which} --done`,
            effect: "says that the step was done: it goes on after it"
          },
          {
            command: `muster settle ${job.seq}${which} --not-done`,
            effect: "says that it was not: the next life does it"
          },
          { command: `muster settle ${job.seq}${which} --fail --reason TEXT`, effect: "ends the job" }
        ]
  return [
    ...settle,
    ...(given.paused
      ? [{ command: "muster resume", effect: "lets the fleet take jobs again" } satisfies Advice]
      : []),
    ...(given.hostBeats ? [] : [host(job, given)]),
    ...cancel(job, given)
  ]
}

const ended = ({ seq, state, supersededBy }: Job, { letter }: Circumstances): ReadonlyArray<Advice> => {
  if (supersededBy !== null)
    return [{ command: `muster explain ${supersededBy}`, effect: "explains the job that replays it" }]
  if (state === "COMPLETED" || letter?.discarded === true) return []
  const replay: Advice = {
    command: `muster dlq replay ${seq}`,
    effect: "tries it again as a new job that is linked to this one"
  }
  if (letter === null) return [replay]
  const discard: Advice = {
    command: `muster dlq discard ${seq} --reason TEXT`,
    effect: "says that nobody will replay it"
  }
  return letter.eligible
    ? [{ command: `muster dlq show ${seq}`, effect: "shows what is kept for a replay" }, replay, discard]
    : [
        {
          command: `muster dlq allow ${seq} --reason TEXT`,
          effect: "allows the replay that its code forbids"
        },
        discard
      ]
}

const working = (job: Job, given: Circumstances): ReadonlyArray<Advice> => [
  ...(given.question === null
    ? []
    : [{ command: `muster tell ${job.seq} TEXT`, effect: "answers it" } satisfies Advice]),
  { command: `muster logs ${job.seq}`, effect: "shows what its agent has said" },
  ...cancel(job, given)
]

export const adviceFor = (job: Job, given: Circumstances): ReadonlyArray<Advice> => {
  if (isOver(job.state)) return [...ended(job, given), ...look(job)]
  const waits = job.state === "PENDING" || job.state === "RETRY_SCHEDULED"
  return [...(waits ? waiting(job, given) : working(job, given)), ...look(job)]
}
