// A facet: the fleet keeps up with its queue. It is silent until it doesn't, and then names a command.
import type { BuiltFacet } from "@muster/core"
import { Effect } from "effect"

const tooLong = 10 * 60_000

export const backlogFacet: BuiltFacet = {
  key: "backlog",
  holds: "No job waits for ten minutes.",
  genre: "capacity",
  tempo: "steady",
  status: "built",
  policy: { path: "docs/guide/plugins.md", anchor: "a-facet" },
  followUps: ["suggest"],
  reflect: ({ now, slots, waiting }) =>
    Effect.succeed(
      waiting === null || now - waiting.dueAt < tooLong
        ? null
        : {
            about: `workflow:${waiting.workflowType}`,
            sentence: `job ${waiting.jobId} has waited for ${Math.floor((now - waiting.dueAt) / 60_000)} minutes`,
            followUp: "suggest",
            evidence: waiting,
            suggestion: `muster scale ${slots * 2}`
          }
    )
}
