/**
 * A reflection in a turn: what a facet has said becomes a host's record, outside the chains (R12), under the fence of the host that asked.
 */
import { detailOf, type Reflected } from "../reflection/Outcome.ts"
import type { Draft } from "./Draft.ts"
import type { Env } from "./Env.ts"

export const noteReflection = (draft: Draft, env: Env, reflected: Reflected): void => {
  draft.notes.push({
    seq: null,
    subjectKind: "host",
    event: reflected.event,
    fromState: null,
    toState: null,
    transitionReason: reflected.reason,
    errorCode: null,
    actor: env.actor,
    occurredAt: env.now,
    incarnation: 0,
    detail: detailOf(reflected)
  })
}
