// docs/reference/fleet-model.md: the declared model of the fleet, from core's value of it.
import { fleetModel, ModelText } from "@muster/core/model"
import type { Generator } from "./Generator.ts"

export const fleetModelPage: Generator = {
  path: "docs/reference/fleet-model.md",
  section: null,
  make: () =>
    [
      "# The model of the fleet",
      "",
      "Generated from `fleetModel` in `packages/core/src/model` by `pnpm generate`; `muster model show` prints the same, with `--json` as a document. The",
      "machines are the [tables](machines.md) that move the fleet. An invariant's tier follows from its lanes, its primitive and its form: two or more",
      "lanes that meet at a race-shaped primitive make it hairy; hairy safety is searched exhaustively, hairy liveness is checked with fairness, and random",
      "walks check the rest. A whole arrow waits for its answer, a dotted one doesn't.",
      "",
      ModelText.markdown(fleetModel)
    ].join("\n")
}
