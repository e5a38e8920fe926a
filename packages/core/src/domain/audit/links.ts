/**
 * What ties a job to others: its key and its chain of replays (R17, R31).
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

export const checkLinks = (dossier: Dossier, found: Findings): void => {
  checkReplays(dossier, found)
  checkKey(dossier, found)
}
