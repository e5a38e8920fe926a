/** What happens sooner or later, whatever fails on the way: no work stands still for ever, and no agent without its tombstone. */
import { mayClaim } from "../../domain/Intent.ts"
import { isRunnable } from "../../domain/Job.ts"
import { usedSlots } from "../../domain/turn/move.ts"
import { make } from "../Invariant.ts"
import { eachInfinitelyOften, eachLeadsTo } from "../Temporal.ts"
import { isLiving, type World } from "../world/World.ts"
import { type FleetInvariant, jobNumbers } from "./Look.ts"

const agentOf = (world: World, seq: number) => world.jobs.get(seq)?.job.agent ?? null

/** Whether the job is due and a host could begin it now. */
const couldStart = (world: World, seq: number): boolean => {
  const job = world.jobs.get(seq)?.job
  return (
    job !== undefined &&
    isRunnable(job) &&
    job.runAt <= world.now &&
    world.rules.workflows.has(job.workflowType) &&
    world.hosts.some(
      ({ control, living, owned, refills, runs }) =>
        runs && living && refills && mayClaim(control) && usedSlots(owned) < world.rules.slots
    )
  )
}

/** Whether a host that is over still owns the job's agent. */
const isOrphan = (world: World, seq: number): boolean => {
  const owner = agentOf(world, seq)?.owner ?? null
  return owner !== null && !isLiving(world, owner.epoch)
}

export const liveness: ReadonlyArray<FleetInvariant> = [
  make({
    id: "dispatched-is-tombstoned",
    sentence: "Every agent that is dispatched is tombstoned sooner or later.",
    lanes: ["loop", "other_loop", "supervisor", "agent"],
    primitive: "lease",
    temporal: eachLeadsTo({
      subjects: jobNumbers,
      when: (world, seq) => agentOf(world, seq) !== null,
      holds: (world, seq) => agentOf(world, seq)?.state === "tombstoned"
    }),
    source: "seed 2, from dispatch to a clean teardown"
  }),
  make({
    id: "abandoned-moves-on",
    sentence: "Every agent that is abandoned works again or is tombstoned, sooner or later.",
    lanes: ["loop", "other_loop", "supervisor"],
    primitive: "stale_heartbeat",
    temporal: eachLeadsTo({
      subjects: jobNumbers,
      when: (world, seq) => agentOf(world, seq)?.state === "abandoned",
      holds: (world, seq) => {
        const state = agentOf(world, seq)?.state
        return state === "working" || state === "tombstoned"
      }
    }),
    source: "seed 2, abandoned and later recovered"
  }),
  make({
    id: "processing-ends",
    sentence: "No job stays PROCESSING for ever.",
    lanes: ["loop", "supervisor", "agent"],
    primitive: "timer",
    temporal: eachLeadsTo({
      subjects: jobNumbers,
      when: (world, seq) => world.jobs.get(seq)?.job.state === "PROCESSING",
      holds: (world, seq) => world.jobs.get(seq)?.job.state !== "PROCESSING"
    }),
    source: "seed 1, perpetual PROCESSING"
  }),
  make({
    id: "lost-work-is-adopted",
    sentence: "What a lost host owned is adopted, or handed back, sooner or later.",
    lanes: ["loop", "other_loop"],
    primitive: "lease",
    temporal: eachLeadsTo({
      subjects: jobNumbers,
      when: isOrphan,
      holds: (world, seq) => !isOrphan(world, seq)
    }),
    source: "R19"
  }),
  make({
    id: "runnable-work-starts",
    sentence: "A job that is due doesn't wait for ever beside a free slot.",
    lanes: ["loop", "other_loop", "submitter"],
    primitive: "mailbox_handover",
    temporal: eachLeadsTo({
      subjects: jobNumbers,
      when: couldStart,
      holds: (world, seq) => !couldStart(world, seq)
    }),
    source: "R9, R13"
  }),
  make({
    id: "mailboxes-drain",
    sentence: "Again and again, a host that lives has taken every word that it was given.",
    lanes: ["agent", "loop"],
    primitive: "mailbox_handover",
    temporal: eachInfinitelyOften({
      subjects: ({ hosts }: World) => [...new Set(hosts.map(({ host }) => host))],
      holds: ({ hosts }, number) =>
        hosts.every(({ host, inbox, living }) => host !== number || !living || inbox.length === 0)
    }),
    source: "R14"
  })
]
