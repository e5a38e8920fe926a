/**
 * Who of the fleet has to act, step by step; Fairness.ts says it in words, with the reasons.
 */
import type { Obligation } from "../checkers/temporal.ts"
import type { Act } from "../world/Act.ts"
import type { World } from "../world/World.ts"
import { subjectOf } from "./FleetKey.ts"

const whim: Obligation = { _tag: "Whim" }
const ends: Obligation = { _tag: "Ends" }

const fair = (...parts: ReadonlyArray<string | number>): Obligation => ({
  _tag: "Fair",
  class: parts.join(" ")
})

/** What burns no attempt, or leaves open whether anything has happened. */
const patience: ReadonlySet<string> = new Set([
  "limited",
  "broken",
  "landed_unknown",
  "absent_unknown",
  "cant_tell"
])

/** One signal, or one due job: each by itself, or a host could hear of one for ever and never of the other. */
const ofTurn = (world: World, number: number, act: Act & { readonly _tag: "Turn" }): Obligation => {
  if (act.again === true) return ends
  const { epoch, first, take = [] } = act
  const host = world.hosts.find((candidate) => candidate.epoch === epoch)
  if (take.length > 1 || host === undefined) return whim
  const [index] = take
  if (index === undefined) return fair(number, "claims", first ?? "any")
  const signal = host.inbox[index]
  if (signal === undefined) return whim
  const stale =
    "incarnation" in signal && host.owned.get(signal.seq)?.agent?.incarnation !== signal.incarnation
  return fair(number, "hears", signal._tag, subjectOf(signal), stale ? "late" : "")
}

export const fleetObligation = (world: World, act: Act): Obligation => {
  const host = "epoch" in act ? world.hosts.find(({ epoch }) => epoch === act.epoch) : undefined
  const number = host?.host ?? 0
  switch (act._tag) {
    case "Turn":
      return ofTurn(world, number, act)
    case "Look":
    case "Adopt":
    case "Leave":
      return fair(number, act._tag)
    case "Overdue":
      return fair(number, "late", act.seq)
    case "End":
      return act.how === "hung" ? ends : fair(number, "stops", act.seq)
    case "Finish": {
      const phase = host?.fibers.get(act.seq)?.phase
      if (phase === "archive" || phase === "clean") return fair(number, "ends", act.seq)
      return patience.has(act.outcome) ? ends : whim
    }
    case "Due":
      return fair("due", act.job)
    case "Enlist":
      return fair("host", act.host)
    case "Resume":
      return fair("resume")
    case "Crash":
    case "DieAfterCommit":
    case "Fence":
    case "Stop":
      return ends
    default:
      return whim
  }
}
