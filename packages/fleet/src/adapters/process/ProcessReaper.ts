/**
 * Kills what a dead host left running: processes of this machine that carry its token in their environment (R20). Never by name or
 * by a pid alone. NodeProcessReaper fills it.
 */
import { Context, type Effect } from "effect"

export interface ReapedProcess {
  readonly pid: number
  /** Its process group, which is killed with it. */
  readonly pgid: number
  /** Which of the tokens it carried. */
  readonly token: string
}

export interface ReapReport {
  /** Gone now. */
  readonly killed: ReadonlyArray<ReapedProcess>
  /** Still there when the wait was over, as a process is that hangs in the system. Nothing may take its place. */
  readonly left: ReadonlyArray<ReapedProcess>
}

export class ProcessReaper extends Context.Service<
  ProcessReaper,
  {
    /** All carriers, as they are now: none is touched. */
    readonly find: (tokens: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<ReapedProcess>>
    /** Kills the groups of all carriers and waits until they are gone, a few seconds at most. Only for tokens of hosts that are fenced. */
    readonly reap: (tokens: ReadonlyArray<string>) => Effect.Effect<ReapReport>
  }
>()("@muster/fleet/adapters/process/ProcessReaper") {}
