/**
 * How an agent is closed: what it leaves is archived, then its place is torn down. Neither moves a state; each ends with the signal that says
 * what came of it.
 */
import { defaults, type Disposition, Failure, type Signal, type Workspaces } from "@muster/core"
import { Cause, Effect, Exit } from "effect"
import * as Answers from "../plugins/Answers.ts"
import { ask } from "../plugins/Fence.ts"
import { again } from "./Tries.ts"

/** archive: always before clean. What can't be brought to safety stays where it is: clean then keeps the workspace. */
export const archive = Effect.fnUntraced(function* (
  who: { readonly seq: number; readonly incarnation: number },
  workspaces: Workspaces,
  ref: string,
  jobId: string
): Effect.fn.Return<Signal> {
  const found = yield* Effect.exit(
    ask(workspaces.name, "Workspaces.find", () => workspaces.find(ref), Answers.readFoundWorkspace).pipe(
      Effect.flatMap((workspace) =>
        workspace === null
          ? Effect.succeed([])
          : ask(
              workspaces.name,
              "Workspaces.archive",
              () => workspaces.archive(workspace, jobId),
              Answers.readArtifacts
            )
      ),
      Effect.retry(again(defaults.tries.clean)),
      Effect.timeout(defaults.phaseMillis.archive)
    )
  )
  if (Exit.isSuccess(found)) return { _tag: "Archived", ...who, artifacts: found.value }
  const reason = Failure.fromCause(found.cause)?.message ?? Cause.pretty(found.cause)
  return { _tag: "Cleaned", ...who, fate: { _tag: "Kept", at: ref, reason: `not archived: ${reason}` } }
})

/** clean: the teardown, tried a bounded number of times within its deadline (null: none); then the workspace is kept and named in the record (R30). */
export const clean = Effect.fnUntraced(function* (
  who: { readonly seq: number; readonly incarnation: number },
  workspaces: Workspaces,
  ref: string,
  disposition: Disposition,
  limitMillis: number | null
): Effect.fn.Return<Signal> {
  const removed = yield* Effect.exit(
    ask(
      workspaces.name,
      "Workspaces.remove",
      () => workspaces.remove(ref, disposition),
      Answers.readFate
    ).pipe(Effect.retry(again(defaults.tries.clean)), Effect.timeout(limitMillis ?? Number.POSITIVE_INFINITY))
  )
  if (Exit.isSuccess(removed)) return { _tag: "Cleaned", ...who, fate: removed.value }
  const reason = Failure.fromCause(removed.cause)?.message ?? Cause.pretty(removed.cause)
  return { _tag: "Cleaned", ...who, fate: { _tag: "Kept", at: ref, reason } }
})
