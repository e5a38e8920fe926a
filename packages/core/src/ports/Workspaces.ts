/**
 * The workspace contract: gives each agent a place of its own. A workspace outlives fibers and hosts, so it is found again by
 * its reference, which the job's row keeps from the commit of `prepare` until the tombstone.
 */
import type { Effect } from "effect"
import type { WorkspaceFate } from "../domain/Agent.ts"
import type { Disposition } from "../domain/AgentMachine.ts"

export interface Workspace {
  /** What the plugin needs to find it again, on this machine, after a crash. At most 1 KiB. */
  readonly ref: string
  /** Absolute path that the agent works in. */
  readonly path: string
}

export interface WorkspaceOrder {
  readonly jobId: string
  readonly incarnation: number
  /** Where the agent worked before, so that it can go on there; null for the first time and after a hung incarnation (R5). */
  readonly previous: string | null
}

export interface Workspaces<R = never> {
  /** Unique among the fleet's workspaces; `none` and `directory` ship. */
  readonly name: string
  /**
   * Makes the place, or finds `previous` again. Idempotent: a crash after it and before the commit repeats it. Not interrupted, as no
   * acquisition is: a plugin makes its long waits interruptible itself, and leaves nothing behind then. It fails with an error of the
   * job's own, whose tag is a code and which is treated as the work's would be, or with anything else: then the plugin is broken, and the job
   * waits without burning an attempt (R2).
   */
  readonly prepare: (order: WorkspaceOrder) => Effect.Effect<Workspace, unknown, R>
  /** The sentinel: a health check before any work is paid for. A failure without a code of its own is `ORCH_RETRYABLE_WORKSPACE_UNHEALTHY`. */
  readonly check: (workspace: Workspace) => Effect.Effect<void, unknown, R>
  /** Finds a workspace by its reference; null when it is gone. */
  readonly find: (ref: string) => Effect.Effect<Workspace | null, unknown, R>
  /** Brings results and artifacts to safety before the teardown; answers references to them. Empty: nothing to keep. Idempotent. */
  readonly archive: (workspace: Workspace, jobId: string) => Effect.Effect<ReadonlyArray<string>, unknown, R>
  /** Tears it down, knowing how the job's work ended; what would be lost unrecorded is kept and named (R30). A workspace that is gone already is `Removed`. Idempotent. */
  readonly remove: (ref: string, disposition: Disposition) => Effect.Effect<WorkspaceFate, unknown, R>
}
