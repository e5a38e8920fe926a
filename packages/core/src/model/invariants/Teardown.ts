/** Invariants of an agent's end: archive, then tear down, and leave nothing that nobody knows of. */
import { make } from "../Invariant.ts"
import { always } from "../Temporal.ts"
import type { World } from "../world/World.ts"
import { alarmed, both, type FleetInvariant, ofEachHost, ofEachJob } from "./Look.ts"

/** A workspace that is being torn down though nothing of it was archived. */
const cleanedTooEarly = ofEachHost(({ fibers }, world: World) =>
  Array.from(fibers.values()).flatMap(({ phase, seq }) =>
    phase === "clean" && world.jobs.get(seq)?.markers.get("archive")?.state !== "finished"
      ? [`job ${seq} is torn down, and nothing is archived`]
      : []
  )
)

export const teardown: ReadonlyArray<FleetInvariant> = [
  make({
    id: "archive-before-teardown",
    sentence: "No workspace is torn down before its results and artifacts are archived.",
    lanes: ["loop", "other_loop", "agent"],
    primitive: "compare_and_swap",
    temporal: always(both(alarmed("cleaned-unarchived"), cleanedTooEarly)),
    source: "seed 2, upload-before-teardown"
  }),
  make({
    id: "archived-once",
    sentence: "What is archived is not archived again.",
    lanes: ["loop", "other_loop"],
    primitive: "compare_and_swap",
    temporal: always(alarmed("archived-again")),
    source: "R23, R30"
  }),
  make({
    id: "nothing-left-behind",
    sentence:
      "Of a tombstoned agent nothing stands any more, save a workspace that its record names as kept.",
    lanes: ["loop", "agent"],
    primitive: "mailbox_handover",
    temporal: always(
      ofEachJob(({ job, places }) =>
        job.agent?.state === "tombstoned" && places.size > 0
          ? `tombstoned, and ${[...places].join(", ")} is left behind`
          : null
      )
    ),
    source: "seed 2, clean teardown; R30"
  })
]
