/** Invariants between hosts: one owner an agent, one completer a job, and a memory that never runs ahead of the store. */
import { Equal } from "effect"
import { isExpected } from "../../domain/turn/expected.ts"
import { make } from "../Invariant.ts"
import { always, alwaysStep } from "../Temporal.ts"
import type { Host, World } from "../world/World.ts"
import { alarmed, both, type FleetInvariant, movesSince, ofEachChange, ofEachHost } from "./Look.ts"

const rowsOf = (world: World, { epoch }: Host) =>
  Array.from(world.jobs.values(), ({ job }) => job).filter(({ agent }) => agent?.owner?.epoch === epoch)

/** A job that two living hosts work on, or hold to be theirs. */
const sharedJob = (world: World): string | null => {
  const living = world.hosts.filter((host) => host.living)
  for (const [index, host] of living.entries())
    for (const other of living.slice(index + 1)) {
      for (const seq of host.fibers.keys())
        if (other.fibers.has(seq))
          return `job ${seq} runs on two living hosts, ${host.epoch} and ${other.epoch}`
      for (const seq of host.owned.keys())
        if (other.owned.has(seq))
          return `job ${seq} is owned by two living hosts, ${host.epoch} and ${other.epoch}`
    }
  return null
}

/** Whether the host's mailbox holds a word of the living incarnation that its row waits for. */
const speaks = (host: Host, { agent, seq }: ReturnType<typeof rowsOf>[number]): boolean =>
  agent !== null &&
  host.inbox.some(
    (signal) =>
      "incarnation" in signal &&
      signal.seq === seq &&
      signal.incarnation === agent.incarnation &&
      isExpected(agent, signal)
  )

export const ownership: ReadonlyArray<FleetInvariant> = [
  make({
    id: "one-live-marker",
    sentence:
      "An agent has exactly one live marker: at most one host that the store listens to owns it, or runs it.",
    lanes: ["loop", "other_loop"],
    primitive: "compare_and_swap",
    temporal: always(sharedJob),
    source: "seed 2, exactly-one-live-marker; R6"
  }),
  make({
    id: "fenced-hosts-write-nothing",
    sentence: "A host whose epoch is over writes nothing.",
    lanes: ["loop", "other_loop"],
    primitive: "fencing_token",
    temporal: always(alarmed("written-when-fenced")),
    source: "R8, R20"
  }),
  make({
    id: "owner-keeps-its-row",
    sentence: "A host whose epoch is not over never loses a row that it owns.",
    lanes: ["loop", "other_loop"],
    primitive: "compare_and_swap",
    temporal: always(alarmed("own-row-lost")),
    source: "R8"
  }),
  make({
    id: "memory-is-the-store",
    sentence: "What a host remembers of its jobs is what the store says of them.",
    lanes: ["loop", "store"],
    primitive: "compare_and_swap",
    temporal: always(
      ofEachHost((host, world) => {
        const rows = rowsOf(world, host)
        if (host.owned.size !== rows.length)
          return `it knows of ${host.owned.size} jobs, and owns ${rows.length}`
        return rows.flatMap((row) =>
          Equal.equals(host.owned.get(row.seq), row)
            ? []
            : [`it knows job ${row.seq} otherwise than the store`]
        )
      })
    ),
    source: "design, One turn of the loop; R8"
  }),
  make({
    id: "writes-raise-the-version",
    sentence: "Each write of a row raises its version by one, and nothing else does.",
    lanes: ["loop", "store"],
    primitive: "compare_and_swap",
    temporal: alwaysStep(
      ofEachChange((before, after) => {
        const raised = after.job.version - (before?.job.version ?? 0)
        const writes = after.writes - (before?.writes ?? 0)
        return raised === writes ? null : `its version was raised by ${raised} in ${writes} writes`
      })
    ),
    source: "R8"
  }),
  make({
    id: "exactly-one-completer",
    sentence: "A job is completed once, by the incarnation that owns it under a living host.",
    lanes: ["loop", "other_loop", "agent"],
    primitive: "compare_and_swap",
    temporal: alwaysStep(
      ofEachChange((before, after, worlds) => {
        const done = movesSince(before, after).filter(({ event }) => event === "complete")
        if (done.length === 0) return null
        const owner = before?.job.agent?.owner
        if (done.length > 1 || before?.job.state === "COMPLETED") return "it was completed twice"
        return worlds.before.hosts.some(({ epoch, living }) => living && epoch === owner?.epoch)
          ? null
          : "it was completed, and no living host owned it"
      })
    ),
    source: "seed 2, exactly-one-completer; design, Agents"
  }),
  make({
    id: "no-stale-completion",
    sentence:
      "What an incarnation brings back that was abandoned, or is not the living one, is noted as late, and never landed.",
    lanes: ["loop", "agent"],
    primitive: "incarnation",
    temporal: alwaysStep(
      ofEachChange((before, after) => {
        const former = before?.markers.get("commit")
        const marker = after.markers.get("commit")
        const done = movesSince(before, after).find(({ event }) => event === "land")
        const alive = before?.job.agent?.incarnation
        if (done !== undefined && before?.job.agent?.state === "abandoned")
          return `incarnation ${done.incarnation} landed though it was abandoned`
        if (done !== undefined && done.incarnation !== alive)
          return `incarnation ${done.incarnation} landed while ${alive} was alive`
        if (marker === undefined || marker === former || marker.state !== "finished") return null
        const by = /^\{"by":(\d+)\}$/.exec(marker.result ?? "")?.[1]
        const news = former?.result !== marker.result
        return news && by !== undefined && Number(by) !== alive
          ? `what incarnation ${by} brought back was taken for the work of ${alive}`
          : null
      })
    ),
    source: "design, Words (incarnation); field notes"
  }),
  make({
    id: "fibers-are-owned",
    sentence: "What runs on a host runs for an incarnation that the host owns.",
    lanes: ["loop", "supervisor"],
    primitive: "mailbox_handover",
    temporal: always(
      ofEachHost(({ fibers, owned }) =>
        Array.from(fibers.values()).flatMap(({ incarnation, seq }) =>
          owned.get(seq)?.agent?.incarnation === incarnation
            ? []
            : [`a fiber of job ${seq} runs for an incarnation that it doesn't own`]
        )
      )
    ),
    source: "R4, R6"
  }),
  make({
    id: "one-life-at-a-time",
    sentence: "A phase begins for an agent, and only when the phase before it has ended.",
    lanes: ["loop", "supervisor"],
    primitive: "mailbox_handover",
    temporal: always(alarmed("begun-beside")),
    source: "design, Agents (finalisers first)"
  }),
  make({
    id: "abandoned-fibers-are-stopped",
    sentence: "The fiber of an agent that was abandoned is told to stop.",
    lanes: ["loop", "supervisor"],
    primitive: "mailbox_handover",
    temporal: always(
      ofEachHost((host, world) =>
        rowsOf(world, host).flatMap(({ agent, seq }) =>
          agent?.standing === "ending" && host.fibers.get(seq)?.stopping === false
            ? [`the fiber of job ${seq} goes on, though its agent is abandoned`]
            : []
        )
      )
    ),
    source: "R4, R11"
  }),
  make({
    id: "owed-work-moves",
    sentence: "Every row that a host owns has a fiber, or a word on its way, that will move it.",
    lanes: ["loop", "supervisor", "agent"],
    primitive: "mailbox_handover",
    temporal: always(
      ofEachHost((host, world) =>
        rowsOf(world, host).flatMap((row) =>
          host.fibers.has(row.seq) || speaks(host, row)
            ? []
            : [`job ${row.seq} is stuck: no fiber and no signal will move it`]
        )
      )
    ),
    source: "R11"
  }),
  make({
    id: "hung-life-keeps-its-workspace",
    sentence: "A life that won't end keeps its workspace to itself: its successor gets another.",
    lanes: ["loop", "agent"],
    primitive: "timer",
    temporal: always(both(alarmed("workspace-shared"))),
    source: "R5"
  })
]
