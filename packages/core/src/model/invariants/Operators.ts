/** Invariants of what operators want: it stands in the store, and every host comes to respect it. */
import { pausesOf } from "../../domain/Intent.ts"
import { make } from "../Invariant.ts"
import { always, alwaysStep, eachLeadsTo } from "../Temporal.ts"
import type { Host, World } from "../world/World.ts"
import { alarmed, type FleetInvariant, jobNumbers } from "./Look.ts"

const isPaused = ({ intents }: World): boolean => pausesOf(intents).length > 0

const hostNumbers = ({ hosts }: World): ReadonlyArray<number> => [...new Set(hosts.map(({ host }) => host))]

/** The living host of this number; a number may have had several lives. */
const hostOf = ({ hosts }: World, number: number): Host | undefined =>
  hosts.find(({ host, living, runs }) => host === number && living && runs)

/** Jobs that a host has begun in this step though it knew of a pause before and still does. */
const begunInPause = (before: World, after: World): string | null => {
  for (const { control, epoch, owned } of before.hosts) {
    const now = after.hosts.find((host) => host.epoch === epoch)
    if (!control.paused || now?.control.paused !== true) continue
    for (const [seq, { state }] of now.owned)
      if (state === "PROCESSING" && owned.get(seq)?.state !== "PROCESSING")
        return `host ${epoch} has begun job ${seq}, though it is paused`
  }
  return null
}

/** A pause that is gone though nobody has resumed: a resume stands beside the pauses that it ends until a host has looked. */
const pauseLost = (before: World, after: World): string | null =>
  isPaused(before) && !isPaused(after) && !after.intents.some(({ kind }) => kind === "resume")
    ? "the fleet was paused, and isn't any more, though nobody has resumed it"
    : null

export const operators: ReadonlyArray<FleetInvariant> = [
  make({
    id: "paused-host-starts-nothing",
    sentence: "A host that knows of a pause begins no job.",
    lanes: ["operator", "loop"],
    primitive: "intent_row",
    temporal: alwaysStep(begunInPause),
    source: "R22"
  }),
  make({
    id: "pause-ends-by-resume",
    sentence: "A pause stands until an operator resumes: no end and no start of a host ends it.",
    lanes: ["operator", "loop"],
    primitive: "intent_row",
    temporal: alwaysStep(pauseLost),
    source: "design, Agents (operator intent is durable); R22"
  }),
  make({
    id: "pause-is-respected",
    sentence: "A pause that stays is respected by every host sooner or later.",
    lanes: ["operator", "loop"],
    primitive: "intent_row",
    temporal: eachLeadsTo({
      subjects: hostNumbers,
      when: (world, number) => isPaused(world) && hostOf(world, number) !== undefined,
      holds: (world, number) => !isPaused(world) || hostOf(world, number)?.control.paused !== false
    }),
    source: "R22"
  }),
  make({
    id: "resume-ends-a-pause",
    sentence: "A resume ends every pause before it: no host stays paused for which nobody wants it.",
    lanes: ["operator", "loop"],
    primitive: "intent_row",
    temporal: eachLeadsTo({
      subjects: hostNumbers,
      when: (world, number) => !isPaused(world) && hostOf(world, number)?.control.paused === true,
      holds: (world, number) => isPaused(world) || hostOf(world, number)?.control.paused !== true
    }),
    source: "R11, R22"
  }),
  make({
    id: "cancel-is-answered",
    sentence: "Every cancel comes to its answer.",
    lanes: ["operator", "loop"],
    primitive: "intent_row",
    temporal: eachLeadsTo({
      subjects: jobNumbers,
      when: ({ cancels }, seq) => cancels.some(({ job, outcome }) => job === seq && outcome === null),
      holds: ({ cancels }, seq) => cancels.every(({ job, outcome }) => job !== seq || outcome !== null)
    }),
    source: "R24, R26"
  }),
  make({
    id: "cancelled-means-cancelled",
    sentence: "A cancel that is answered with cancelled has cancelled its job.",
    lanes: ["operator", "loop"],
    primitive: "intent_row",
    temporal: always(alarmed("cancel-misreported")),
    source: "R26"
  })
]
