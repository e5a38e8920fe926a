/**
 * Opens the post office of a host in its scope: with the store behind it for those who have no mailbox here, and somebody who looks after the
 * mailboxes that are kept.
 */
import { type HostRow, Store } from "@muster/core"
import { Clock, Effect } from "effect"
import { instant } from "../Instant.ts"
import type { ServedWorkflow } from "../plugins/ServedWorkflow.ts"
import { DeadMessages } from "./DeadMessages.ts"
import { PostOffice } from "./PostOffice.ts"
import { keepLooking, whyNot } from "./WhyNot.ts"

/** `ring`: makes the loop look, which writes what nobody has taken. */
export const open = Effect.fnUntraced(function* (
  host: HostRow,
  served: ReadonlyMap<string, ServedWorkflow>,
  ring: () => void
) {
  const store = yield* Store
  const clock = yield* Clock.Clock
  const burials = new DeadMessages(ring)
  const office = new PostOffice({
    // An epoch is given once in a store.
    name: `${store.id}-m${host.epoch}`,
    now: () => instant(clock),
    served,
    whyNot: whyNot(store, host),
    dead: burials
  })
  yield* Effect.forkScoped(keepLooking(office, host))
  return { office, burials }
})
