/**
 * The argv of one assignment: the template filled from the payload as it was submitted, and the program found from where the
 * command was written down, not from the agent's workspace.
 */
import { isAbsolute, resolve } from "node:path"
import { type Assignment, PayloadTypeMismatch } from "@muster/core"
import { Result } from "effect"
import * as CommandTemplate from "./CommandTemplate.ts"

export type Argv = readonly [program: string, ...args: Array<string>]

/** `folder`: where a program is looked for that is a relative path with a slash. A missing `{payload.x}` fails (R33). */
export const ofAssignment = (
  template: ReadonlyArray<string>,
  folder: string,
  { payloadJson, workflowType }: Assignment
): Result.Result<Argv, PayloadTypeMismatch> => {
  const payload: unknown = CommandTemplate.hasPlaceholders(template) ? JSON.parse(payloadJson) : null
  const filled = CommandTemplate.fill(template, payload)
  if (Result.isFailure(filled))
    return Result.fail(new PayloadTypeMismatch({ workflowType, subject: "payload", ...filled.failure }))
  const [program = "", ...args] = filled.success
  const isRelativePath = program.includes("/") && !isAbsolute(program)
  return Result.succeed([isRelativePath ? resolve(folder, program) : program, ...args])
}
