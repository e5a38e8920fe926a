import { emptyGlance, facetSuite } from "@muster/core/testing"
import { Effect } from "effect"
import { backlogFacet } from "./BacklogFacet.ts"

const waiting = { jobId: "k3f9qx-17", workflowType: "review", dueAt: 0 }

facetSuite(
  "backlog",
  Effect.succeed({
    facet: backlogFacet,
    healthy: emptyGlance,
    unhealthy: { ...emptyGlance, now: 3_600_000, waiting }
  })
)
