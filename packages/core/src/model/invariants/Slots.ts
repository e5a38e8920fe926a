/** Invariants of slots: never more lives than slots, and no idle slot beside work that is due. */
import { usedSlots } from "../../domain/turn/move.ts"
import { make } from "../Invariant.ts"
import { always } from "../Temporal.ts"
import { alarmed, type FleetInvariant, ofEachHost } from "./Look.ts"

export const slots: ReadonlyArray<FleetInvariant> = [
  make({
    id: "slots-never-exceeded",
    sentence:
      "No more incarnations hold a slot of a host, or live on it, than it has slots; recoveries included.",
    lanes: ["loop", "supervisor"],
    primitive: "mailbox_handover",
    temporal: always(
      ofEachHost(({ fibers, owned }, { rules }) => {
        const used = usedSlots(owned)
        const living = Array.from(fibers.values()).filter(
          ({ phase }) => phase !== "archive" && phase !== "clean"
        ).length
        return [
          ...(used > rules.slots ? [`its agents hold ${used} of ${rules.slots} slots`] : []),
          ...(living > rules.slots ? [`${living} incarnations live in ${rules.slots} slots`] : [])
        ]
      })
    ),
    source: "R4"
  }),
  make({
    id: "no-rest-beside-work",
    sentence: "The loop never rests beside runnable work and a free slot.",
    lanes: ["loop", "other_loop", "submitter"],
    primitive: "mailbox_handover",
    temporal: always(alarmed("rests-beside-work")),
    source: "seed 2, rests with ratified work still queued; R13"
  })
]
