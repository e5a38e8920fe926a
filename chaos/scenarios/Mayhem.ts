/**
 * Everything at once, by chance: two hosts under load, and whatever verb the seed draws next.
 */
import { Effect } from "effect"
import type { HostProcess } from "../harness/HostProcess.ts"
import type { Wanted } from "../harness/Jobs.ts"
import { type Behaviour, workflows } from "../HostProtocol.ts"
import type { Scenario } from "../Scenario.ts"
import { between, chance } from "./Chance.ts"

const behaviours: ReadonlyArray<Behaviour> = [
  ...Array.from({ length: 8 }, () => "works" as const),
  "flaky",
  "crashes",
  "rejected",
  "forks",
  "hopeless",
  "silent"
]

const wish = { slots: 6, silenceMillis: 1_500, leaseMillis: 5_000 }
const jobsATurn = 12

export const mayhem: Scenario = {
  name: "mayhem",
  promise:
    "Whatever is killed, frozen, locked, stopped and cancelled in whatever order: nothing is lost and nothing doubled",
  share: 0.12,
  play: Effect.fnUntraced(function* (stage, { kills, seed }) {
    const next = chance(seed)
    const pick = <A>(list: ReadonlyArray<A>): A | undefined => list[between(next, 0, list.length - 1)]
    const acts: Array<string> = []
    let turns = 0

    const wanted = (index: number): Wanted => {
      const workflow = pick(workflows) ?? "bare"
      const behaviour = pick(behaviours) ?? "works"
      return {
        workflow,
        // A function ends with its host, and has no children.
        behaviour,
        times: behaviour === "forks" ? 0 : 1,
        name: `${turns}.${index} ${behaviour}`,
        millis: between(next, 0, 80),
        mayBeCancelled: true
      }
    }

    const verbs: ReadonlyArray<
      readonly [name: string, act: (host: HostProcess) => Effect.Effect<unknown, unknown>]
    > = [
      ["kill", stage.kill],
      ["kill", stage.kill],
      ["kill", stage.kill],
      ["stop", (host) => host.stop],
      [
        "freeze",
        (host) =>
          host.freeze.pipe(Effect.andThen(Effect.sleep(between(next, 100, 1_000))), Effect.andThen(host.thaw))
      ],
      [
        "lock",
        () => Effect.scoped(Effect.flatMap(stage.lock(between(next, 100, 800)), ({ released }) => released))
      ],
      [
        "agent",
        () =>
          Effect.suspend(() =>
            stage.killAgent(pick(stage.agentsOf())?.environment.get("MUSTER_JOB_ID") ?? "")
          )
      ],
      [
        "cancel",
        (host) => host.ask({ ask: "cancel", job: pick(Array.from(stage.history.jobs.keys())) ?? "" })
      ]
    ]

    while (stage.figures().kills < kills) {
      turns += 1
      while (stage.living().length < 2) {
        const host = yield* stage.start(wish)
        yield* host.heard("started")
      }
      yield* stage.submit(Array.from({ length: jobsATurn }, (_, index) => wanted(index)))
      yield* stage.look
      const [name = "", act] = pick(verbs) ?? []
      const host = pick(stage.living())
      acts.push(name)
      yield* Effect.sleep(between(next, 0, 250))
      // A verb may come too late, for a host or an agent that is gone.
      if (act !== undefined && host !== undefined) yield* Effect.ignore(act(host))
      // A job is not to be hit by more hosts than its restart budget allows.
      if (turns % 4 === 0) {
        if (stage.living().length === 0) yield* stage.start(wish)
        yield* stage.everythingDone(90_000)
      }
    }
    const counted = Array.from(new Set(acts)).map(
      (name) => `${name} ${acts.filter((act) => act === name).length}`
    )
    stage.remark(counted.join(", "))
  })
}
