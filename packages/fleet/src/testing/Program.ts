/**
 * A program in a process of the simulation: its fibers take clock, chance, log and scheduler from there, and what somebody asks of it is
 * remembered until it is answered.
 */
import { Cause, Clock, Effect, Exit, Logger, Random, References, Scheduler } from "effect"
import type { Calls } from "./SimulatedStore.ts"
import type { Trace } from "./Trace.ts"
import type { Verdict } from "./Verdict.ts"
import type { VirtualProcess } from "./VirtualTime.ts"

/** What somebody has asked for, and what came of it. */
export interface Call {
  readonly what: string
  /** Null while it is unanswered. */
  exit: Exit.Exit<unknown, unknown> | null
}

export interface ProgramOptions {
  readonly process: VirtualProcess
  readonly seed: number
  /** Effects that the simulation runs when their turn has come; they return at once. */
  readonly runs: Calls
  readonly trace: Trace
  readonly verdict: Verdict
}

const lineOf = (message: unknown): string =>
  (Array.isArray(message) ? message : [message])
    .map((part) =>
      typeof part === "string" ? part : part instanceof Error ? part.message : JSON.stringify(part)
    )
    .join(" ")

export class Program {
  readonly calls: Array<Call> = []
  readonly process: VirtualProcess
  private readonly loggers: ReadonlySet<Logger.Logger<unknown, void>>
  private readonly program: ProgramOptions

  constructor(options: ProgramOptions) {
    this.program = options
    this.process = options.process
    const { process, trace } = options
    const log = Logger.make<unknown, void>(({ cause, message }) => {
      trace.tell(process.name, () => {
        const why = cause.reasons.length === 0 ? "" : `: ${String(Cause.squash(cause))}`
        return `logs ${lineOf(message)}${why}`
      })
    })
    this.loggers = new Set([log])
  }

  /** Runs in a fiber of this process: it begins at the process's next turn, and ends with it at the latest. */
  protected fork(effect: Effect.Effect<void>): void {
    const { process, program } = this
    const inside = effect.pipe(
      Random.withSeed(program.seed),
      Effect.provideService(Logger.CurrentLoggers, this.loggers),
      Effect.provideService(References.TracerEnabled, false),
      Effect.provideService(Clock.Clock, process.clock),
      Effect.provideService(Scheduler.Scheduler, process.scheduler)
    )
    process.schedule(() => {
      program.runs.push(Effect.asVoid(Effect.forkDetach(inside, { startImmediately: true })))
    })
  }

  /** Asks for something; `take` hears what came of it. */
  ask<A, E>(
    what: string,
    effect: Effect.Effect<A, E>,
    take: (exit: Exit.Exit<A, E>) => void = () => {}
  ): void {
    const { process, program } = this
    const call: Call = { what, exit: null }
    this.calls.push(call)
    program.trace.tell(process.name, () => `is asked: ${what}`)
    this.fork(
      Effect.map(Effect.exit(effect), (exit) => {
        call.exit = exit
        program.trace.tell(
          process.name,
          () => `answers: ${what}: ${Exit.isSuccess(exit) ? "done" : String(Cause.squash(exit.cause))}`
        )
        if (Exit.isFailure(exit) && Cause.hasDies(exit.cause))
          program.verdict.blame("defect", `${what}: ${Cause.pretty(exit.cause)}`)
        take(exit)
      })
    )
  }

  /** What nobody has answered. */
  unanswered(): ReadonlyArray<string> {
    return this.calls.flatMap(({ exit, what }) => (exit === null ? [what] : []))
  }
}
