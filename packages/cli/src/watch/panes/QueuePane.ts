/**
 * Jobs that wait, by workflow and priority, and for how long the oldest has.
 */
import { span } from "../Cells.ts"
import { age, short } from "../Figures.ts"
import { jobsIn, type LaneLook } from "../FleetLook.ts"
import { pane } from "./Pane.ts"

const wait = (lane: LaneLook, now: number): string =>
  lane.oldestSince !== null
    ? age(now - lane.oldestSince)
    : lane.nextDueAt !== null
      ? `due in ${age(lane.nextDueAt - now)}`
      : ""

export const queuePane = pane<LaneLook>({
  name: "queue",
  title: "queue",
  count: (look) => short(jobsIn(look, "PENDING")),
  nothing: ({ filter }) => (filter === "" ? "no job waits" : `nothing that waits matches "${filter}"`),
  rows: (_state, { lanes }) => lanes,
  id: ({ priority, workflow }) => `${priority}/${workflow}`,
  words: ({ workflow }) => [workflow],
  columns: ({ now }) => [
    { title: "workflow", least: 8, most: 30, of: ({ workflow }) => span(workflow, "title") },
    {
      title: "prio",
      least: 4,
      align: "right",
      of: ({ priority }) =>
        span(priority === null ? "any" : String(priority), priority === 0 ? "faint" : "plain")
    },
    {
      title: "waiting",
      least: 7,
      align: "right",
      of: ({ more, waiting }) => span(`${short(waiting)}${more ? "+" : ""}`, "waiting")
    },
    { title: "oldest", least: 6, most: 12, align: "right", of: (lane) => span(wait(lane, now)) }
  ]
})
