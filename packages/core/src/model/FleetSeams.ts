/** Where the lanes of a fleet meet, and which file carries what they say there. */
import type { FleetLane } from "./FleetLanes.ts"
import type { Carrier, Seam } from "./Seam.ts"

export const fleetSeams: ReadonlyArray<Seam<FleetLane, Carrier>> = [
  {
    id: "submission",
    carrier: "mailbox",
    from: "submitter",
    to: "loop",
    message: "a job's envelope and payload, answered after the commit",
    synchronous: true,
    carriedBy: "packages/fleet/src/loop/Mailbox.ts"
  },
  {
    id: "phase-end",
    carrier: "mailbox",
    from: "agent",
    to: "loop",
    message: "how a phase of an incarnation ended",
    synchronous: false,
    carriedBy: "packages/fleet/src/agents/Phases.ts"
  },
  {
    id: "marker",
    carrier: "mailbox",
    from: "agent",
    to: "loop",
    message: "a step begins or is done, acknowledged after the commit",
    synchronous: true,
    carriedBy: "packages/fleet/src/agents/MarkerDesk.ts"
  },
  {
    id: "message",
    carrier: "mailbox",
    from: "agent",
    to: "agent",
    message:
      "an envelope to another agent of the host, answered at once: taken, full, or why nobody takes it",
    synchronous: true,
    carriedBy: "packages/fleet/src/messages/PostOffice.ts"
  },
  {
    id: "tell",
    carrier: "mailbox",
    from: "operator",
    to: "agent",
    message: "what an operator tells an agent, through the host that owns it",
    synchronous: true,
    carriedBy: "packages/fleet/src/messages/FleetMessages.ts"
  },
  {
    id: "wish",
    carrier: "mailbox",
    from: "operator",
    to: "loop",
    message: "a wish through the host's socket, answered when its row is committed",
    synchronous: true,
    carriedBy: "packages/fleet/src/control/ControlServer.ts"
  },
  {
    id: "commit",
    carrier: "store_compare_and_swap",
    from: "loop",
    to: "store",
    message: "a turn: rows by version and epoch, their events, retries, letters and markers",
    synchronous: true,
    carriedBy: "packages/fleet/src/loop/Turn.ts"
  },
  {
    id: "peek",
    carrier: "store_compare_and_swap",
    from: "store",
    to: "loop",
    message: "due jobs that nobody owns, for exactly the free slots",
    synchronous: true,
    carriedBy: "packages/fleet/src/loop/Peek.ts"
  },
  {
    id: "command",
    carrier: "store_compare_and_swap",
    from: "loop",
    to: "supervisor",
    message: "what the committed row owes: prepare, work, verify, land, archive, clean, interrupt",
    synchronous: false,
    carriedBy: "packages/fleet/src/agents/Agents.ts"
  },
  {
    id: "submission-row",
    carrier: "store_compare_and_swap",
    from: "submitter",
    to: "store",
    message: "a new job under its key, without a host",
    synchronous: true,
    carriedBy: "packages/fleet/src/jobs/Submissions.ts"
  },
  {
    id: "intent",
    carrier: "store_compare_and_swap",
    from: "operator",
    to: "store",
    message: "a cancel, pause, resume, drain or scale, as a row",
    synchronous: true,
    carriedBy: "packages/fleet/src/jobs/Operations.ts"
  },
  {
    id: "intent-look",
    carrier: "store_compare_and_swap",
    from: "store",
    to: "loop",
    message: "the intents that are open, as they stand now",
    synchronous: false,
    carriedBy: "packages/fleet/src/loop/Intents.ts"
  },
  {
    id: "settlement",
    carrier: "store_compare_and_swap",
    from: "operator",
    to: "store",
    message: "what became of a step whose outcome nobody knew",
    synchronous: true,
    carriedBy: "packages/fleet/src/jobs/Settlements.ts"
  },
  {
    id: "replay",
    carrier: "store_compare_and_swap",
    from: "operator",
    to: "store",
    message: "a new job for an old one's key, linked to it",
    synchronous: true,
    carriedBy: "packages/fleet/src/jobs/Replays.ts"
  },
  {
    id: "beat",
    carrier: "lease",
    from: "loop",
    to: "store",
    message: "this host still lives",
    synchronous: true,
    carriedBy: "packages/fleet/src/loop/Host.ts"
  },
  {
    id: "fence",
    carrier: "lease",
    from: "other_loop",
    to: "loop",
    message: "your epoch is over; learnt from the next commit or renewal",
    synchronous: false,
    carriedBy: "packages/fleet/src/loop/Ownership.ts"
  },
  {
    id: "due",
    carrier: "timer",
    from: "clock",
    to: "loop",
    message: "a retry is due, a window has lapsed",
    synchronous: false,
    carriedBy: "packages/fleet/src/loop/Loop.ts"
  },
  {
    id: "overdue",
    carrier: "timer",
    from: "supervisor",
    to: "loop",
    message: "a phase is beyond its deadline, a stream is silent",
    synchronous: false,
    carriedBy: "packages/fleet/src/agents/Overdue.ts"
  },
  {
    id: "stream",
    carrier: "process_stream",
    from: "agent",
    to: "supervisor",
    message: "results, errors, progress, markers: the lines of a process",
    synchronous: false,
    carriedBy: "packages/fleet/src/adapters/process/OutputReader.ts"
  },
  {
    id: "interrupt",
    carrier: "process_stream",
    from: "supervisor",
    to: "agent",
    message: "the payload at the start, and TERM, then KILL, at the end",
    synchronous: false,
    carriedBy: "packages/fleet/src/adapters/process/ProcessGroup.ts"
  },
  {
    id: "landing",
    carrier: "landing_lock",
    from: "agent",
    to: "lander",
    message: "the stored order with the fencing token, or the question what became of it",
    synchronous: true,
    carriedBy: "packages/core/src/ports/Lander.ts"
  },
  {
    id: "events",
    carrier: "event_bus",
    from: "store",
    to: "observer",
    message: "events of committed turns, live or from a cursor on",
    synchronous: false,
    carriedBy: "packages/fleet/src/jobs/EventFeed.ts"
  },
  {
    id: "scarcity",
    carrier: "pressure",
    from: "computer",
    to: "loop",
    message: "the disk is full, or the medium broken: begin nothing",
    synchronous: false,
    carriedBy: "packages/fleet/src/loop/Trouble.ts"
  },
  {
    id: "registry",
    carrier: "reflection_registry",
    from: "reflection",
    to: "loop",
    message:
      "what a facet says when something is off, or why it was not asked: written under the host's fence",
    synchronous: false,
    carriedBy: "packages/fleet/src/reflection/Reflection.ts"
  }
]
