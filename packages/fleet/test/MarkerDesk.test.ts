// Where incarnations ask for markers: the order of asking, the answers, and the end.
import { assert, describe, it } from "@effect/vitest"
import { limits, type Signal, Workflow } from "@muster/core"
import { Effect, Exit, Fiber, Schema } from "effect"
import * as FunctionRunner from "../src/adapters/FunctionRunner.ts"
import { AgentLines } from "../src/agents/AgentLines.ts"
import type { Incarnation } from "../src/agents/Incarnation.ts"
import { MarkerDesk } from "../src/agents/MarkerDesk.ts"
import { Vitals } from "../src/agents/Vitals.ts"
import { nothing } from "../src/jobs/Recall.ts"

const scene = () => {
  const posted: Array<Signal> = []
  const desk = new MarkerDesk({ post: (signal) => void posted.push(signal), now: () => 7 })
  const workflow = Workflow.make("work", { payload: Schema.Int, result: Schema.Int, runner: "none" })
  const vitals = new Vitals(0, "work")
  const life: Incarnation = {
    seq: 3,
    number: 2,
    served: {
      workflow,
      policy: { ...workflow.policy, workspace: false, gates: false, lander: false },
      runner: FunctionRunner.make(() => Effect.void),
      workspaces: null,
      gates: [],
      lander: null,
      listens: false
    },
    vitals,
    lines: new AgentLines(2),
    payload: 1,
    payloadJson: "1",
    // the desk asks only for its id
    job: { jobId: "s-3" } as Incarnation["job"],
    workspace: null,
    isSamePlace: true,
    feedback: [],
    markers: nothing(),
    trace: null,
    traceContext: null,
    interrupted: false
  }
  return { desk, life, posted, vitals, markers: desk.of(life) }
}
const start = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })

describe("the marker desk", () => {
  it.effect("posts in the order of asking, answers each by its number, and keeps what was finished", () =>
    Effect.gen(function* () {
      const { desk, life, markers, posted, vitals } = scene()
      const [first, second] = [yield* start(markers.start("a")), yield* start(markers.finish("b", "2"))]
      assert.deepStrictEqual(
        posted.map((signal) => [signal._tag, "name" in signal && signal.name, "id" in signal && signal.id]),
        [
          ["MarkerStarted", "a", 1],
          ["MarkerFinished", "b", 2]
        ]
      )
      assert.strictEqual(vitals.waitsForStore, 2)
      assert.isNull(vitals.patience(life.served.policy))
      desk.answer(2, true)
      desk.answer(1, false)
      assert.deepStrictEqual([yield* Fiber.join(first), yield* Fiber.join(second)], [false, true])
      assert.deepStrictEqual(Array.from(markers.finished), [["b", "2"]])
      assert.deepStrictEqual([vitals.waitsForStore, vitals.lastEventAt], [0, 7])
    })
  )

  it.effect("refuses who waits and who comes when it closes, and posts nothing any more (R20)", () =>
    Effect.gen(function* () {
      const { desk, markers, posted } = scene()
      // as the end of a step does, which nothing may interrupt
      const waiting = yield* start(Effect.uninterruptible(markers.finish("a", "1")))
      desk.close()
      assert.isFalse(yield* Fiber.join(waiting))
      assert.isFalse(yield* markers.start("b"))
      assert.lengthOf(posted, 1)
      assert.strictEqual(markers.finished.size, 0)
    })
  )

  it.effect("lets a life begin so many steps and no more", () =>
    Effect.gen(function* () {
      const { desk, markers } = scene()
      for (let n = 1; n <= limits.markers; n++) {
        const asking = yield* start(markers.start(`step ${n}`))
        desk.answer(n, true)
        yield* Fiber.join(asking)
      }
      assert.isTrue(Exit.hasFails(yield* Effect.exit(markers.start("one more"))))
    })
  )
})
