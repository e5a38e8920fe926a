/**
 * The queue by workflow and priority: of many waiting jobs some are looked at, all are counted.
 */
import type { Job } from "@muster/core"
import { lanesOf as readLanes } from "@muster/fleet/control"
import type { LaneLook, WorkflowLook } from "../FleetLook.ts"

const rank = ({ priority }: LaneLook): number => priority ?? Number.NEGATIVE_INFINITY

const inOrder = (a: LaneLook, b: LaneLook): number =>
  a.workflow === b.workflow ? Math.sign(rank(b) - rank(a)) || 0 : a.workflow < b.workflow ? -1 : 1

const restOf = (workflow: string, waiting: number): LaneLook => ({
  workflow,
  priority: null,
  waiting,
  more: false,
  oldestSince: null,
  nextDueAt: null
})

/** How many jobs of each workflow wait beyond those in its lanes; fewer than none: lanes hold jobs that wait no more. */
const beyond = (
  lanes: ReadonlyArray<LaneLook>,
  workflows: ReadonlyArray<WorkflowLook>
): Map<string, number> => {
  const rest = new Map(workflows.map(({ jobs, workflow }) => [workflow, jobs.PENDING]))
  for (const { waiting, workflow } of lanes) rest.set(workflow, (rest.get(workflow) ?? 0) - waiting)
  return rest
}

/** Adds what the lanes leave out of the exact counts, as one lane of all priorities. */
export const withRest = (
  lanes: ReadonlyArray<LaneLook>,
  workflows: ReadonlyArray<WorkflowLook>
): ReadonlyArray<LaneLook> => {
  const rest = beyond(lanes, workflows)
  const all = lanes.map((lane) => ((rest.get(lane.workflow) ?? 0) > 0 ? { ...lane, more: true } : lane))
  for (const [workflow, waiting] of rest) if (waiting > 0) all.push(restOf(workflow, waiting))
  return all.toSorted(inOrder)
}

/** The lanes of the jobs that were read, larger priorities first, and of those that were not. */
export const lanesOf = (
  read: ReadonlyArray<Job>,
  workflows: ReadonlyArray<WorkflowLook>,
  now: number
): ReadonlyArray<LaneLook> => {
  const lanes = readLanes(read, now).map(
    ({ nextDueAt, oldestSince, priority, waiting, workflow }): LaneLook => ({
      workflow,
      priority,
      waiting,
      more: false,
      oldestSince,
      nextDueAt
    })
  )
  return withRest(lanes, workflows)
}

/** Lanes that were read a moment ago, brought to the counts of now: the most urgent jobs have gone, the least urgent have come. */
export const broughtTo = (
  lanes: ReadonlyArray<LaneLook>,
  workflows: ReadonlyArray<WorkflowLook>
): ReadonlyArray<LaneLook> => {
  const change = beyond(lanes, workflows)
  const left: Array<LaneLook> = []
  /** Where the last lane of a workflow is. */
  const last = new Map<string, number>()
  for (const lane of lanes) {
    const by = change.get(lane.workflow) ?? 0
    const gone = Math.min(lane.waiting, Math.max(0, -by))
    change.set(lane.workflow, by + gone)
    if (gone < lane.waiting) last.set(lane.workflow, left.push({ ...lane, waiting: lane.waiting - gone }) - 1)
  }
  for (const [workflow, at] of last) {
    const lane = left[at]
    if (lane !== undefined) left[at] = { ...lane, waiting: lane.waiting + (change.get(workflow) ?? 0) }
  }
  for (const [workflow, waiting] of change)
    if (waiting > 0 && !last.has(workflow)) left.push(restOf(workflow, waiting))
  return left.toSorted(inOrder)
}
