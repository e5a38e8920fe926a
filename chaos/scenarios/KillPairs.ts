/**
 * Two kills for one job: the first around its landing, the second while the next host finds out what became of that.
 */
import { Effect } from "effect"
import type { CommitName } from "../host/CommitNames.ts"
import type { Scenario } from "../Scenario.ts"

const commit = (name: CommitName) =>
  ["before", "inside", "unanswered", "after"].map((where) => `commit.${name}:${where}`)
const land = ["land:before", "land:inside", "land:done", "land:after"]

const first = [...commit("landing"), ...land, ...commit("landed")]
const second = [
  ...commit("adopted"),
  ...commit("recovered"),
  "reconcile:before",
  "reconcile:after",
  ...land,
  ...commit("landed")
]

const pairs = first.flatMap((one) => second.map((two) => [one, two] as const))

export const killPairs: Scenario = {
  name: "landing-killed-twice",
  promise: "A landing that was killed, and killed again while it was looked into, has happened once",
  share: 0.16,
  play: Effect.fnUntraced(function* (stage, { kills, seed }) {
    // A number that has nothing in common with theirs visits every pair.
    const stride = 37
    for (let index = 0; index < pairs.length && stage.figures().kills + 1 < kills; index++) {
      const [one, two] = pairs[(seed + index * stride) % pairs.length] ?? ["", ""]
      const host = yield* stage.start()
      yield* host.heard("started")
      yield* stage.everythingDone()
      yield* host.arm({ point: one, nth: 1, signal: "SIGKILL" })
      yield* stage.submit([
        { workflow: index % 2 === 0 ? "function" : "program", name: `${index} ${one} ${two}` }
      ])
      yield* host.ended
      stage.counted()
      const next = yield* stage.start({
        fault: { point: two, nth: 1, signal: "SIGKILL" },
        expectsWork: true
      })
      yield* Effect.raceFirst(next.ended, stage.everythingDone())
      if (next.news().some(({ at }) => at === "fault")) {
        yield* next.ended
        stage.counted()
      } else yield* stage.kill(next)
    }
  })
}
