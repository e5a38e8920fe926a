/**
 * Capacity: no job that could start waits beside a free slot. It catches what the seed calls the orchestrator that rests with ratified work
 * queued, and has the loop look again.
 */
import { type BuiltFacet, builtInFacet, type Firing, type FleetGlance, reflectionPolicy } from "@muster/core"
import { Effect } from "effect"

const judge = ({ freeSlots, host, now, slots, usedSlots, waiting }: FleetGlance): Firing | null => {
  if (freeSlots === 0 || waiting === null) return null
  const waited = now - waiting.dueAt
  if (waited < reflectionPolicy.waitMillis) return null
  return {
    about: `host:${host}`,
    sentence: `host ${host} rests with ${freeSlots} of ${slots} slots free, and job ${waiting.jobId} of ${waiting.workflowType} has been due for ${Math.round(waited / 1_000)} s`,
    followUp: "look_again",
    evidence: {
      job_id: waiting.jobId,
      workflow_type: waiting.workflowType,
      waited_ms: waited,
      slots,
      used_slots: usedSlots,
      free_slots: freeSlots
    }
  }
}

export const capacity: BuiltFacet = {
  ...builtInFacet("capacity"),
  reflect: (glance) => Effect.sync(() => judge(glance))
}
