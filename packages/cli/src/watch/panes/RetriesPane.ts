/**
 * Jobs that wait to be tried again, the soonest first.
 */
import { span } from "../Cells.ts"
import { age, short } from "../Figures.ts"
import { jobsIn, type RetryLook, shortId } from "../FleetLook.ts"
import { pane } from "./Pane.ts"

export const retriesPane = pane<RetryLook>({
  name: "retries",
  title: "retries",
  count: (look) => short(jobsIn(look, "RETRY_SCHEDULED")),
  nothing: ({ filter }) => (filter === "" ? "no retry is scheduled" : `no retry matches "${filter}"`),
  rows: (_state, { retries }) => retries,
  id: ({ jobId }) => jobId,
  jobId: ({ jobId }) => jobId,
  words: ({ code, jobId, workflow }) => [jobId, workflow, code],
  columns: ({ now }) => [
    { title: "job", least: 4, most: 9, align: "right", of: ({ jobId }) => span(shortId(jobId), "title") },
    { title: "workflow", least: 8, most: 18, from: 56, of: ({ workflow }) => span(workflow) },
    {
      title: "due in",
      least: 6,
      align: "right",
      of: ({ dueAt }) => (dueAt <= now ? span("now", "good") : span(age(dueAt - now), "waiting"))
    },
    {
      title: "tried",
      least: 5,
      align: "right",
      of: ({ maxRetries, retryCount }) => span(`${retryCount}/${maxRetries + 1}`, "faint")
    },
    { title: "code", least: 1, isRest: true, of: ({ code }) => span(code ?? "") }
  ]
})
