/**
 * Where the orchestrator's loop stands in its table. Its moves stay in memory and metrics (R13); an illegal one, or one for another's reason,
 * is a bug and a defect.
 */
import {
  LoopMachine,
  type LoopMove,
  type LoopState,
  Machine,
  StateMachineInvariantBroken
} from "@muster/core"
import { Result } from "effect"

export class LoopPosition {
  state: LoopState = LoopMachine.initial
  /** The reason of the latest move. */
  reason = "host_started"
  /** Epoch ms of the last snapshot that was banked; null: none yet. */
  bankedAt: number | null = null
  readonly #moved: (event: LoopMove) => void

  /** `moved`: told of each move. */
  constructor(moved: (event: LoopMove) => void) {
    this.#moved = moved
  }

  /** `reason`: of the edge's vocabulary. */
  move(event: LoopMove, reason: string): void {
    const fromState = this.state
    const toState = Result.getOrThrow(Machine.step(LoopMachine, fromState, event))
    if (!Machine.has(LoopMachine, { event, fromState, toState, transitionReason: reason }))
      throw new StateMachineInvariantBroken({
        invariant: "moves-follow-the-table",
        subject: "loop",
        detail: `${event} from ${fromState} for ${reason}, which is no reason of that move`
      })
    this.state = toState
    this.reason = reason
    this.#moved(event)
  }
}
