/**
 * What a host of a chaos stage serves: agents that are functions and agents that are programs, told by their payload how to carry on. Their
 * side effects are lines in the stage's ledgers.
 */
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type AgentContext, Workflow } from "@muster/core"
import { ProcessRunner } from "@muster/fleet"
import { Data, Effect, Schema } from "effect"
import { behaviours, type ChaosPayload, type HostSettings } from "../HostProtocol.ts"
import { pass } from "./FaultPoints.ts"
import * as Ledger from "./Ledger.ts"
import * as Plugins from "./PointedPlugins.ts"

const Payload = Schema.Struct({
  name: Schema.String,
  behaviour: Schema.Literals(behaviours),
  millis: Schema.Int,
  times: Schema.Int
})
const Answer = Schema.Struct({ incarnation: Schema.Int })

class Flaky extends Data.TaggedError("EXT_CHAOS_FLAKY") {}
class Hopeless extends Data.TaggedError("DQ_CHAOS_HOPELESS") {}

/** The file that lets agents go on which wait. */
export const go = (folder: string): string => join(folder, "go")

/** What the behaviour asks for in the place of work. */
const carryOn = Effect.fnUntraced(function* (folder: string, payload: ChaosPayload, attempt: number) {
  const { behaviour, millis, times } = payload
  if (behaviour === "hopeless") return yield* new Hopeless()
  if (behaviour === "stubborn") return yield* Effect.uninterruptible(Effect.never)
  if (attempt <= times) {
    if (behaviour === "flaky") return yield* new Flaky()
    if (behaviour === "crashes") return yield* Effect.die(new Error("crashed on purpose"))
    if (behaviour === "silent") return yield* Effect.never
  }
  if (behaviour === "waits") while (!existsSync(go(folder))) yield* Effect.sleep(20)
  return yield* Effect.sleep(millis)
})

const work =
  (folder: string) =>
  (payload: ChaosPayload, { assignment, once, progress }: AgentContext) =>
    Effect.gen(function* () {
      const { attempt, incarnation, jobId, workspace } = assignment
      const write = (what: string) =>
        Ledger.append(folder, "work", [what, jobId, incarnation, attempt, process.pid])
      pass("work:before")
      write("start")
      yield* progress("started")
      pass("work:line")
      yield* carryOn(folder, payload, attempt)
      if (payload.behaviour === "writes")
        yield* once(
          "effect",
          Effect.sync(() => {
            pass("once:before")
            Ledger.append(folder, "effects", ["wrote", jobId, incarnation])
            pass("once:done")
          })
        )
      if (workspace !== null) writeFileSync(join(workspace.path, Plugins.artifact), String(incarnation))
      write("end")
      pass("work:after")
      return { incarnation }
    })

/** All of them. */
export const make = Effect.fnUntraced(function* ({ folder, silenceMillis }: HostSettings) {
  const program = yield* ProcessRunner.make({
    command: [
      "sh",
      join(import.meta.dirname, "../agents/agent.sh"),
      folder,
      "{payload.behaviour}",
      "{payload.times}",
      "{payload.millis}"
    ],
    stdin: "lines",
    stopGraceMillis: 300
  })
  // One of each for both workflows: a name is that of one plugin.
  const uses = {
    workspace: Plugins.workspaces(folder),
    gates: [Plugins.gate(folder)],
    lander: Plugins.lander(folder)
  }
  const schemas = { payload: Payload, result: Answer, silence: silenceMillis, breaker: { probe: 300 } }
  return [
    Workflow.make("function", { ...schemas, ...uses, run: work(folder) }),
    Workflow.make("program", { ...schemas, ...uses, runner: Plugins.runner(program) }),
    Workflow.make("bare", { ...schemas, run: work(folder) })
  ]
})
