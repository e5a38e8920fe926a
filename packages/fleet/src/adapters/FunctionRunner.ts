/**
 * The runner for agents that are functions of this process: typed payload in, result out, at the cost of a function call.
 */
import {
  type AgentContext,
  type Assignment,
  BoundedText,
  type DeclaredMessages,
  type Emit,
  limits,
  type Mail,
  type Markers,
  Redaction,
  type Runner
} from "@muster/core"
import { Effect, type Scope } from "effect"
import { effectOf } from "../plugins/Fence.ts"
import * as Once from "./Once.ts"
import * as Talking from "./Talking.ts"

const nothing = null

/** More is looked at than is kept, so that a secret is whole when it is looked for. */
const secretSlack = 1_024

/** What an agent says of itself, as it may be shown and kept: bounded, and without the host's secrets (R36). */
const sayable = (): ((text: string) => string) => {
  // The secrets that a function can let slip are those of its process's environment.
  const redact = Redaction.redactor(process.env)
  return (text) =>
    BoundedText.truncate(redact(text.slice(0, limits.lineBytes + secretSlack)), limits.lineBytes)
}

/** Who the agent is and how it shows that it lives. */
const contextOf = (
  assignment: Assignment,
  emit: Emit,
  clean: (text: string) => string,
  markers: Markers,
  talking: ReturnType<typeof Talking.make>
): AgentContext => ({
  ...talking,
  assignment,
  progress: (message, fraction) =>
    Effect.sync(() => emit({ _tag: "Progress", message: clean(message), fraction: fraction ?? nothing })),
  log: (text) => Effect.sync(() => emit({ _tag: "Line", source: "log", text: clean(text), cut: false })),
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

/** A runner of one function. `declared`: the messages that it understands; it listens where there are any. */
export const make = (
  run: (payload: never, agent: AgentContext) => Effect.Effect<unknown, unknown, Scope.Scope>,
  declared: DeclaredMessages = null
): Runner => {
  const clean = sayable()
  return {
    name: "function",
    listens: declared !== null,
    run: (assignment, emit, markers, mail: Mail) =>
      effectOf(() => {
        const talking = Talking.make({ emit, mail, declared })
        // The workflow's schema decoded this payload (R1), so it is of the type that the function takes.
        return run(assignment.payload as never, contextOf(assignment, emit, clean, markers, talking))
      })
  }
}
