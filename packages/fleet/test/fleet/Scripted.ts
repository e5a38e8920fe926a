// A workflow whose payload is a number and whose agents follow a script.
import { Workflow } from "@muster/core"
import { ScriptedRunner } from "@muster/core/testing"
import { Schema } from "effect"

/** `n` is the payload, by which a test tells its jobs apart. */
export type NumberedScript = (
  assignment: Parameters<ScriptedRunner.Script>[0] & { readonly n: number }
) => ReadonlyArray<ScriptedRunner.Step>

/** A workflow of numbers, and the fake that runs it. */
export const scriptedWorkflow = (
  script: NumberedScript,
  policies: Workflow.Policies<never> & { readonly name?: string } = {}
) => {
  const scripted = ScriptedRunner.make((assignment) =>
    script({ ...assignment, n: Number(assignment.payload) })
  )
  const { name = "work", ...rest } = policies
  const work = Workflow.make(name, {
    payload: Schema.Int,
    result: Schema.Int,
    runner: scripted.runner,
    ...rest
  })
  return { scripted, work }
}

/** Numbers from 1 on. */
export const numbers = (count: number): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, n) => n + 1)
