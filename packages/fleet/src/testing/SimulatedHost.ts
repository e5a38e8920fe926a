/**
 * A process of the simulation with a whole fleet in it, the real one. It may be stopped as an operator would, and killed, frozen and thawed as
 * the system would.
 */
import { Store } from "@muster/core"
import { Cause, Context, Effect, Exit, Layer, Scope } from "effect"
import { Documents } from "../adapters/documents/Documents.ts"
import * as NodeDigest from "../adapters/NodeDigest.ts"
import type { HostProbe } from "../adapters/process/HostProbe.ts"
import type { ProcessReaper } from "../adapters/process/ProcessReaper.ts"
import { Fleet, type FleetService } from "../Fleet.ts"
import { make, type Seams } from "../FleetLive.ts"
import type { FleetOptions } from "../FleetOptions.ts"
import type { HostPlan } from "./Plan.ts"
import { Program, type ProgramOptions } from "./Program.ts"
import type { Connection } from "./SimulatedStore.ts"
import type { SimulatedWorkflow } from "./SimulatedWorkflows.ts"

export interface HostOptions extends ProgramOptions {
  readonly plan: HostPlan
  readonly pid: number
  readonly connection: Connection
  readonly workflows: ReadonlyMap<string, SimulatedWorkflow>
  readonly fleet: FleetOptions
  /** Whether the store still takes what it writes. */
  readonly stands: () => boolean
  /** Hears what agents say before the loop does, and hands it on. */
  readonly report: NonNullable<Seams["report"]>
  /** What the system knows of other processes, and how it kills them. */
  readonly system: Layer.Layer<HostProbe | ProcessReaper>
}

/** `over`: it has come to its end by itself. */
export type HostState = "starting" | "up" | "over" | "stopping" | "stopped" | "crashed"

/** No file is read in a simulation: all documents are there. */
const documents = Layer.succeed(Documents, {
  resolve: (references) => Effect.succeed(references.map(() => "resolved" as const))
})

export class SimulatedHost extends Program {
  state: HostState = "starting"
  /** Null until it is up. */
  service: FleetService | null = null
  /** Milliseconds after the beginning at which something last kept it from its work. */
  disturbedAt = 0
  /** Its process can be seen to be gone. */
  seenGone = false
  readonly options: HostOptions
  private readonly scope = Scope.makeUnsafe()

  constructor(options: HostOptions) {
    super(options)
    this.options = options
    const { connection, fleet, process, report, system, trace } = options
    const layer = Layer.effect(Fleet, make({ ...fleet, drift: "off" }, { report })).pipe(
      Layer.provide([
        Store.layerFromDriver(Effect.succeed(connection.driver)),
        system,
        NodeDigest.layer,
        documents
      ])
    )
    this.fork(
      Layer.buildWithScope(layer, this.scope).pipe(
        Effect.flatMap((built) => {
          this.service = Context.get(built, Fleet)
          if (this.state === "starting") this.state = "up"
          trace.tell(process.name, () => `is up with ${options.plan.slots} slots`)
          return this.service.ended
        }),
        Effect.exit,
        Effect.map((exit) => this.over(exit))
      )
    )
  }

  private over(exit: Exit.Exit<never, unknown>): void {
    if (Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)) return
    const { process, trace, verdict } = this.options
    const why = Exit.isFailure(exit) ? String(Cause.squash(exit.cause)) : ""
    if (Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      verdict.blame("defect", `${process.name} has come to its end: ${Cause.pretty(exit.cause)}`)
    // One that could not be begun was none.
    if (this.state === "up" && this.options.stands()) verdict.blame("gives up", `${process.name}: ${why}`)
    if (this.state === "starting" || this.state === "up") this.state = "over"
    trace.tell(process.name, () => `is over: ${why}`)
  }

  /** Ends it as an operator would; one that has come to its end by itself leaves its scope in the same way. */
  stop(): void {
    if (this.state === "stopping" || this.state === "stopped" || this.state === "crashed") return
    const { process, trace } = this.options
    this.state = "stopping"
    trace.tell(process.name, () => "is to stop")
    this.fork(
      Effect.map(Scope.close(this.scope, Exit.void), () => {
        this.state = "stopped"
        trace.tell(process.name, () => "has stopped")
      })
    )
  }

  /** Kills it: nothing of it runs any more, and no finaliser. */
  crash(seen: boolean): void {
    this.options.trace.tell(this.process.name, () => `crashes${seen ? "" : ", unseen"}`)
    this.process.kill()
    this.seenGone = seen
    this.state = "crashed"
  }

  /** Whether nothing of it will happen any more. */
  atRest(): boolean {
    return this.state === "crashed" || (this.state === "stopped" && this.process.sleeping === 0)
  }
}
