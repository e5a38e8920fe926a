/** Invariants of steps that are to be done once: a step whose outcome nobody knows is never silently done again (R28). */
import { make } from "../Invariant.ts"
import { always } from "../Temporal.ts"
import type { Stored, World } from "../world/World.ts"
import { type FleetInvariant, ofEachJob } from "./Look.ts"

const policyOf = ({ rules }: World, { job }: Stored) =>
  rules.workflows.get(job.workflowType)?.unknownOutcome ?? "ask"

const isOpen = ({ job }: Stored): boolean => job.agent?.steps.includes("pay") === true

/** Who goes on, or waits, beside a step of which nobody knows whether it was done. */
const unasked = (stored: Stored, world: World): ReadonlyArray<string> => {
  const { agent, hold, state } = stored.job
  const policy = policyOf(world, stored)
  const open = isOpen(stored)
  const found: Array<string> = []
  if (hold !== null && (state !== "RETRY_SCHEDULED" || !open || policy !== "ask"))
    found.push("it is parked and asks nothing")
  if (!open || agent === null || policy === "rerun") return found
  if (agent.standing === "waiting" && state === "RETRY_SCHEDULED" && hold === null)
    found.push("it waits for its retry, and nobody is asked about its step")
  const mine = stored.markers.get("pay")?.incarnation === agent.incarnation
  if (agent.phase === "work" && agent.standing === null && !mine)
    found.push("it works on, and nobody knows whether its step was done")
  return found
}

export const sideEffects: ReadonlyArray<FleetInvariant> = [
  make({
    id: "step-done-once",
    sentence: "A step that is to be done once is done once, unless its workflow asks for more.",
    lanes: ["agent", "loop", "other_loop"],
    primitive: "incarnation",
    temporal: always(
      ofEachJob((stored, world) =>
        stored.payments > 1 && policyOf(world, stored) !== "rerun" ? "its step was done twice, unasked" : null
      )
    ),
    source: "seed 1, Side-effect safety; R28"
  }),
  make({
    id: "unknown-outcome-is-asked",
    sentence:
      "Where nobody knows whether a step was done, its job asks, fails or reruns it, as its workflow says.",
    lanes: ["agent", "loop", "operator"],
    primitive: "incarnation",
    temporal: always(ofEachJob(unasked)),
    source: "seed 1, Partial completion markers; R28"
  }),
  make({
    id: "open-steps-are-marked",
    sentence: "The row names exactly the steps whose marker is started and not finished.",
    lanes: ["loop"],
    primitive: "one_commit",
    temporal: always(
      ofEachJob((stored) => {
        const marker = stored.markers.get("pay")
        const open = isOpen(stored)
        return open === (marker?.state === "started")
          ? null
          : `its step is ${marker?.state ?? "unmarked"}, and open is ${open}`
      })
    ),
    source: "R28"
  })
]
