/**
 * The runner for agents that are functions of this process: typed payload in, result out, at the cost of a function call.
 */
import type { AgentContext, Assignment, Emit, Markers, Runner } from "@muster/core"
import { Effect, type Scope } from "effect"
import { effectOf } from "../plugins/Fence.ts"
import * as Once from "./Once.ts"

const nothing = null

/** Who the agent is and how it shows that it lives. */
const contextOf = (assignment: Assignment, emit: Emit, markers: Markers): AgentContext => ({
  assignment,
  progress: (message, fraction) =>
    Effect.sync(() => emit({ _tag: "Progress", message, fraction: fraction ?? nothing })),
  log: (text) => Effect.sync(() => emit({ _tag: "Line", source: "log", text, cut: false })),
  extend: (millis) => Effect.sync(() => emit({ _tag: "Extend", millis })),
  usage: ({ cost, inputTokens, outputTokens }) =>
    Effect.sync(() =>
      emit({
        _tag: "Usage",
        inputTokens: inputTokens ?? nothing,
        outputTokens: outputTokens ?? nothing,
        cost: cost ?? nothing
      })
    ),
  once: Once.make(assignment, markers)
})

/** A runner of one function. */
export const make = (
  run: (payload: never, agent: AgentContext) => Effect.Effect<unknown, unknown, Scope.Scope>
): Runner => ({
  name: "function",
  run: (assignment, emit, markers) =>
    // The workflow's schema decoded this payload (R1), so it is of the type that the function takes.
    effectOf(() => run(assignment.payload as never, contextOf(assignment, emit, markers)))
})
