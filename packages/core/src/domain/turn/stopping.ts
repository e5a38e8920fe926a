/**
 * The end of a host's work: everything that still runs is handed back unburnt, in commits of bounded size (R15).
 */
import { defaults } from "../Defaults.ts"
import type { Job } from "../Job.ts"
import type { Draft } from "./Draft.ts"
import { abandon } from "./ending.ts"
import type { Env } from "./Env.ts"
import { handBack } from "./handBack.ts"

/**
 * Whether the job's agent is handed back when its host stops. One that is being archived or cleaned is left to whoever adopts it; a landing
 * that has begun is not taken back: it ends by its own answer (R26).
 */
export const isHandedBack = ({ agent }: Job): boolean =>
  agent !== null && (agent.state === "dispatched" || agent.state === "working") && agent.phase !== "land"

/** Hands back as much as the commit still takes; who stops asks until nothing is left. */
export const stop = (draft: Draft, env: Env): void => {
  for (const job of Array.from(draft.owned.values())) {
    if (draft.changes.size >= defaults.commit.changes) return
    if (isHandedBack(job))
      abandon(draft, env, handBack(draft, env, job, "host_shutdown"), "host_shutdown", null, false)
  }
}
