/** Invariants of results: verified, wanted, brought home, and once. */
import { make } from "../Invariant.ts"
import { always } from "../Temporal.ts"
import { alarmed, both, type FleetInvariant, ofEachJob } from "./Look.ts"

export const landing: ReadonlyArray<FleetInvariant> = [
  make({
    id: "lands-at-most-once",
    sentence:
      "A job's result is brought home at most once, and a landing that has happened is not begun again.",
    lanes: ["loop", "other_loop", "lander"],
    primitive: "landing_lock",
    temporal: always(
      both(
        alarmed("landed-again"),
        ofEachJob(({ landings }) => (landings > 1 ? "it was landed twice" : null))
      )
    ),
    source: "R27"
  }),
  make({
    id: "landing-tokens-grow",
    sentence:
      "The fencing token of a landing grows from one owner of a job to the next: its target never refuses the one that owns it now.",
    lanes: ["loop", "other_loop", "lander"],
    primitive: "fencing_token",
    temporal: always(alarmed("owner-refused")),
    source: "R27"
  }),
  make({
    id: "completed-is-landed",
    sentence: "A job that is COMPLETED has been brought home, where its workflow has a lander.",
    lanes: ["loop", "lander"],
    primitive: "landing_lock",
    temporal: always(
      ofEachJob(({ job, landings }, { rules }) =>
        job.state === "COMPLETED" && rules.workflows.get(job.workflowType)?.lander === true && landings !== 1
          ? "COMPLETED, and it was never landed"
          : null
      )
    ),
    source: "seed 2, land; R27"
  }),
  make({
    id: "completed-has-passed-its-gates",
    sentence: "The result of a job that is COMPLETED has passed all gates of its workflow.",
    lanes: ["loop", "agent"],
    primitive: "incarnation",
    temporal: always(
      ofEachJob(({ job, passes, result }, { rules }) =>
        job.state === "COMPLETED" &&
        rules.workflows.get(job.workflowType)?.gates === true &&
        !passes.has(result ?? "")
          ? "COMPLETED, and its gates have not passed"
          : null
      )
    ),
    source: "seed 2, definition of done; R25"
  }),
  make({
    id: "what-landed-was-wanted",
    sentence: "A job that ends otherwise than completed was not brought home, unless nobody could know it.",
    lanes: ["operator", "loop", "lander"],
    primitive: "landing_lock",
    temporal: always(
      ofEachJob(({ job, landings }) => {
        const mayHaveLanded =
          job.state === "COMPLETED" ||
          job.state === "DEAD_LETTERED" ||
          job.agent?.phase === "land" ||
          job.agent?.standing === "landing_unknown"
        return landings > 0 && !mayHaveLanded ? `${job.state}, and it was landed` : null
      })
    ),
    source: "R26, R27"
  }),
  make({
    id: "turned-down-stays-down",
    sentence:
      "A result that a gate or a lander has turned down is not taken for done by a later incarnation.",
    lanes: ["loop", "agent"],
    primitive: "incarnation",
    temporal: always(alarmed("turned-down-result")),
    source: "R5, R28"
  })
]
