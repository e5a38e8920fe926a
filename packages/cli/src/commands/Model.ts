import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { lazily } from "../Lazily.ts"
import * as Switch from "./Switch.ts"

const show = Command.make(
  "show",
  {
    mermaid: Switch.make("mermaid").pipe(
      Flag.withoutNegation,
      Flag.withDescription("The diagrams, in mermaid's notation: lanes and seams, then each machine"),
      Flag.withDefault(false)
    )
  },
  lazily(async () => (await import("../actions/ModelShow.ts")).modelShow)
).pipe(
  Command.withDescription(
    "The model as it is declared: who acts, where they meet, the machines, the facets, and the invariants with the tier that follows from each. With --json one document."
  ),
  Command.withShortDescription("The model as it is declared")
)

const drift = Command.make(
  "drift",
  {
    mode: Flag.Literals("mode", ["audit", "block"]).pipe(
      Flag.withDescription("audit tells, block fails where anything has drifted"),
      Flag.withDefault("audit" as const)
    )
  },
  lazily(async () => (await import("../actions/ModelDrift.ts")).modelDrift)
).pipe(
  Command.withDescription(
    "Holds what is declared against what is there, both ways: states, events and reasons against the store's CHECKs, views and moves; error codes against the catalogue and what was raised; facets and invariants against what runs and checks them. One MODEL-DRIFT line for each difference, which names both sides. Writes nothing. With --mode block exit code 7 where there is one. With --json one document."
  ),
  Command.withShortDescription("Where the model and what runs differ"),
  Command.withExamples([{ command: "muster model drift --mode block" }])
)

const check = Command.make(
  "check",
  {
    bounds: Flag.String("bounds").pipe(
      Flag.withMetavar("BOUNDS"),
      Flag.withDescription(
        "all takes each scene, within a minute or so; quick leaves the large ones out; numbers of hosts, slots, jobs, retries and faults make a scene of your own"
      ),
      Flag.withDefault("all")
    ),
    invariant: Flag.String("invariant").pipe(
      Flag.withDescription("This one alone, by its id"),
      Flag.optional
    ),
    states: Flag.Int("states").pipe(
      Flag.withDescription("States of each scene, at most: one that has more is unfinished"),
      Flag.withDefault(1_500_000)
    )
  },
  lazily(async () => (await import("../actions/ModelCheck.ts")).modelCheck)
).pipe(
  Command.withDescription(
    "Checks the model by running what runs the fleet: hairy safety by a search of all states of small worlds, hairy liveness by looking for rounds in which what is due never happens, the rest by random walks. A broken invariant comes with the shortest way there, in words. Needs no store and writes nothing. Exit code 7 where an invariant is broken, 75 where the limit of states ended a search. With --json one document."
  ),
  Command.withShortDescription("Whether the invariants hold"),
  Command.withExamples([
    { command: "muster model check" },
    { command: "muster model check --invariant archive-before-teardown" },
    { command: "muster model check --bounds jobs=2,faults=0,slots=1,hosts=1" }
  ])
)

export const model = Command.make("model").pipe(
  Command.withDescription("The model of the fleet: lanes, seams, machines, facets and invariants."),
  Command.withShortDescription("The model of the fleet"),
  Command.withSubcommands([show, drift, check])
)
