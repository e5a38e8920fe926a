/**
 * The lander `keep`: a result is at home in the store, where the fleet has written it already. Nothing happens outside, so there is
 * nothing to lose, to repeat or to check.
 */
import type { Lander, Landing } from "@muster/core"
import { Effect } from "effect"

const landed: Landing = { _tag: "Landed", reference: null }

export const keepLander: Lander = {
  name: "keep",
  land: () => Effect.succeed(landed),
  check: () => Effect.succeed("landed")
}
