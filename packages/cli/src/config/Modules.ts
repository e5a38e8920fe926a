/**
 * Workflows that are modules of their own: loaded when somebody runs or checks them.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { type ConfiguredWorkflow, workflowOf } from "./Configuration.ts"
import { type Problem, pathText } from "./Problems.ts"

/** One that is there. */
export type LoadedWorkflow = Exclude<ConfiguredWorkflow, { readonly _tag: "Module" }>

const wrong = (name: string, detail: string): Effect.Effect<never, ReadonlyArray<Problem>> =>
  Effect.fail([{ path: pathText(["workflows", name]), detail }])

/** The workflow behind a module; any other as it is. */
export const loaded = Effect.fnUntraced(function* (
  one: ConfiguredWorkflow
): Effect.fn.Return<LoadedWorkflow, ReadonlyArray<Problem>> {
  if (one._tag !== "Module") return one
  const answered = yield* Effect.tryPromise(async () => await one.load()).pipe(
    Effect.catch(({ cause }) =>
      wrong(one.name, `its module can't be loaded: ${cause instanceof Error ? cause.message : String(cause)}`)
    )
  )
  const exported = Predicate.hasProperty(answered, "default") ? answered.default : undefined
  const inner = yield* Effect.fromResult(workflowOf(one.name, exported))
  return inner._tag === "Module"
    ? yield* wrong(one.name, "expected a module whose default export is a workflow, got a function")
    : inner
})
