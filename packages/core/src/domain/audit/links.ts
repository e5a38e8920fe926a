/**
 * What ties a job to others: its key and its chain of replays (R17, R31). And to its own past: markers (R6).
 */
import type { Dossier } from "./Dossier.ts"
import type { Findings } from "./Finding.ts"

const checkReplays = ({ job, original, successor }: Dossier, found: Findings): void => {
  const subject = `job:${job.jobId}`
  if (original !== null && original.supersededBy !== job.seq)
    found.add(
      "replay-one-way",
      subject,
      `it replays job ${original.seq}, which is ${original.supersededBy === null ? "not superseded" : `superseded by ${original.supersededBy}`}`
    )
  if (successor !== null && successor.replayOf !== job.seq)
    found.add("replay-one-way", subject, `job ${successor.seq} supersedes it and doesn't replay it`)
  if (job.supersededBy !== null && job.supersededBy <= job.seq)
    found.add("replay-one-way", subject, `job ${job.supersededBy}, which supersedes it, is not a later one`)
}

const checkKey = ({ job, keyHolder, successor }: Dossier, found: Findings): void => {
  const subject = `job:${job.jobId}`
  if (job.supersededBy === null) {
    if (keyHolder !== job.seq)
      found.add(
        "key-shared",
        subject,
        `nothing supersedes it, and its key answers with ${keyHolder === null ? "no job" : `job ${keyHolder}`}`
      )
  } else if (successor !== null && keyHolder !== null && keyHolder < successor.seq) {
    found.add(
      "key-shared",
      subject,
      `job ${successor.seq} supersedes it, and its key answers with ${keyHolder}`
    )
  }
}

const checkMarkers = ({ job, markers }: Dossier, found: Findings): void => {
  const life = job.agent?.incarnation ?? 0
  for (const { incarnation, name } of markers)
    if (incarnation < 1 || incarnation > life)
      found.add(
        "marker-stray",
        `job:${job.jobId}`,
        `marker "${name}" is of life ${incarnation}, its agent is at ${life}`
      )
}

export const checkLinks = (dossier: Dossier, found: Findings): void => {
  checkReplays(dossier, found)
  checkKey(dossier, found)
  checkMarkers(dossier, found)
}
