/**
 * The steps of a job: its markers, those that are open, and what an operator is asked about them (R6, R28).
 */
import { agentId } from "../Agent.ts"
import { readHold } from "../JobHold.ts"
import { isOfJob } from "../Marker.ts"
import type { Dossier } from "./Dossier.ts"
import type { Findings } from "./Finding.ts"

const listed = (names: Iterable<string>): string => {
  const all = [...names].toSorted()
  return all.length === 0 ? "none" : all.join(", ")
}

const checkMarkers = ({ job, markers }: Dossier, found: Findings): void => {
  const life = job.agent?.incarnation ?? 0
  for (const { incarnation, name, result, state } of markers) {
    if (incarnation < 1 || incarnation > life)
      found.add(
        "marker-stray",
        `job:${job.jobId}`,
        `marker "${name}" is of life ${incarnation}, its agent is at ${life}`
      )
    if ((result === null) === (state === "finished"))
      found.add(
        "marker-result",
        `job:${job.jobId}`,
        `marker "${name}" is ${state} ${result === null ? "without" : "with"} a result`
      )
  }
}

const checkOpen = ({ job, markers }: Dossier, found: Findings): void => {
  if (job.agent === null) return
  const open = markers
    .filter(({ name, state }) => state === "started" && isOfJob(name))
    .map(({ name }) => name)
  const [rowSays, markersSay] = [listed(job.agent.steps), listed(open)]
  if (rowSays !== markersSay)
    found.add(
      "steps-differ",
      agentId(job.jobId),
      `open by its row: ${rowSays}; by its markers: ${markersSay}`
    )
}

const checkHold = ({ job }: Dossier, found: Findings): void => {
  if (job.hold === null) return
  const subject = `job:${job.jobId}`
  if (job.state !== "RETRY_SCHEDULED") {
    found.add("hold-stray", subject, `it is ${job.state} and is parked`)
    return
  }
  const hold = readHold(job.hold)
  const steps = job.agent?.steps ?? []
  if (hold === null) found.add("hold-stray", subject, "nobody can tell what it is parked for")
  else if (!hold.markers.some((name) => steps.includes(name)))
    found.add("hold-stray", subject, `it is parked for ${listed(hold.markers)}, which is not open`)
}

export const checkSteps = (dossier: Dossier, found: Findings): void => {
  checkMarkers(dossier, found)
  checkOpen(dossier, found)
  checkHold(dossier, found)
}
