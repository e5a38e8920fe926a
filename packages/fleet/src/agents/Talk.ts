/**
 * What an incarnation's runner gets to talk with: to the runtime, to the store by its markers, to other agents.
 */
import type { Emit, Mail, Markers } from "@muster/core"
import { effectOf } from "../plugins/Fence.ts"
import { assignmentOf, type Incarnation } from "./Incarnation.ts"

export interface Talk {
  readonly emit: Emit
  readonly markers: Markers
  readonly mail: Mail
}

/** The work of its runner, in the caller's scope. */
export const talkTo = (life: Incarnation, token: string, { emit, mail, markers }: Talk) =>
  effectOf(() => life.served.runner.run(assignmentOf(life, token), emit, markers, mail))
