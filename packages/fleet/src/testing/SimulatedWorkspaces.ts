/**
 * The workspaces of a simulation: places that are only names, found by every host, and gone or kept as the plan says.
 */
import type { Workspaces } from "@muster/core"
import { Effect } from "effect"
import { seqOfJob } from "./Outside.ts"
import type { Life } from "./Plan.ts"
import { answer, lifeOf, type Stage } from "./Stage.ts"

const at = (ref: string) => ({ ref, path: `/simulated/${ref}` })

/** A place outlives the life whose plan it follows: a check that throws is mended after so many looks. */
const mendedAfter = 3

export const makeWorkspaces = (stage: Stage): Workspaces => {
  const { maker, outside } = stage
  /** Whose place it is, as its reference says. */
  const lifeIn = (ref: string): Life => {
    const [, seq, incarnation] = ref.split("-").map(Number)
    return lifeOf(stage, seq ?? 0, incarnation ?? 0)
  }
  return {
    name: "simulated",
    prepare: ({ incarnation, jobId, previous }) => {
      const seq = seqOfJob(jobId)
      const how = lifeOf(stage, seq, incarnation).prepare
      return answer(stage, `prepare job ${seq} life ${incarnation}`, how, () =>
        at(outside.prepare(seq, incarnation, previous, maker))
      )
    },
    check: ({ ref }) => {
      const looks = outside.count(`look at ${ref}`)
      const how = looks > mendedAfter ? "well" : lifeIn(ref).sentinel
      return answer(stage, `check ${ref}`, how, () => undefined)
    },
    find: (ref) => Effect.sync(() => (outside.places.has(ref) ? at(ref) : null)),
    archive: ({ ref }) =>
      answer(stage, `archive ${ref}`, lifeIn(ref).archive, () => {
        outside.archive(ref)
        return [`archive/${ref}`]
      }),
    remove: (ref) => {
      const how = lifeIn(ref).remove
      if (how === "keeps")
        return Effect.succeed({ _tag: "Kept", at: `/kept/${ref}`, reason: "it is dirty" } as const)
      return answer(stage, `remove ${ref}`, how, () => {
        outside.remove(ref)
        return { _tag: "Removed" } as const
      })
    }
  }
}
