/**
 * The dead letters, the newest first.
 */
import { span } from "../Cells.ts"
import { age, short } from "../Figures.ts"
import { type LetterLook, shortId } from "../FleetLook.ts"
import { pane } from "./Pane.ts"

export const lettersPane = pane<LetterLook>({
  name: "letters",
  title: "dead letters",
  count: (look) => short(look.letterCount),
  nothing: ({ filter }) => (filter === "" ? "no dead letter" : `no dead letter matches "${filter}"`),
  rows: (_state, { letters }) => letters,
  id: ({ jobId }) => jobId,
  jobId: ({ jobId }) => jobId,
  words: ({ code, jobId, summary, workflow }) => [jobId, workflow, code, summary],
  columns: ({ now }) => [
    { title: "job", least: 4, most: 9, align: "right", of: ({ jobId }) => span(shortId(jobId), "title") },
    { title: "workflow", least: 8, most: 18, from: 70, of: ({ workflow }) => span(workflow) },
    { title: "ago", least: 5, align: "right", of: ({ at }) => span(age(now - at), "faint") },
    {
      title: "code",
      least: 12,
      most: 30,
      of: ({ code, replayed }) => span(code, replayed ? "faint" : "bad")
    },
    {
      title: "summary",
      least: 1,
      isRest: true,
      of: ({ eligible, replayed, summary }) =>
        replayed
          ? span("replayed", "faint")
          : span(eligible ? summary : `(no replay) ${summary}`, eligible ? "plain" : "faint")
    }
  ]
})
