/**
 * What every event must have, in a chain or beside one: a reason, an actor and a time (law 2, R12).
 */
import type { LifecycleEvent } from "../LifecycleEvent.ts"
import type { Findings } from "./Finding.ts"

/** A record outside the chains: it moves nothing. */
export const isNote = ({ fromState, toState }: LifecycleEvent): boolean =>
  fromState === null && toState === null

/** A driver answers what its medium holds, whatever the types say. */
const isText = (text: unknown): boolean => typeof text === "string" && text !== ""

/** `kind:id`. */
const isActor = (actor: unknown): boolean => typeof actor === "string" && /^[^:]+:./.test(actor)

/** Epoch ms that may be one. */
export const isInstant = (at: unknown): boolean => Number.isSafeInteger(at) && Number(at) >= 0

export const checkBare = (event: LifecycleEvent, found: Findings): void => {
  const missing = [
    ...(isText(event.transitionReason) ? [] : ["reason"]),
    ...(isActor(event.actor) ? [] : ["actor (kind:id)"]),
    ...(isInstant(event.occurredAt) ? [] : ["time"])
  ]
  if (missing.length > 0)
    found.add("event-bare", `event:${event.eventId}`, `${event.event} has no ${missing.join(", no ")}`)
}
