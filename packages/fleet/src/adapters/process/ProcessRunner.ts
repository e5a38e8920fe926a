/**
 * The runner for agents that are programs of any language: argv without a shell, the payload in placeholders, on standard input and
 * nowhere else, standard output as the stream (R32, R33, R36). Its files: CommandLine and CommandTemplate (argv), ProcessEnvironment, ProcessGroup (start to
 * last member gone), OutputReader over LineSplitter and LineProtocol (the stream), ProcessOutcome (what the end means).
 */
import { existsSync } from "node:fs"
import { basename, resolve } from "node:path"
import { BoundedText, defaults, Redaction, type Runner } from "@muster/core"
import { Deferred, Effect } from "effect"
import * as CommandLine from "./CommandLine.ts"
import * as MarkerLines from "./MarkerLines.ts"
import * as MessageLines from "./MessageLines.ts"
import * as OutputReader from "./OutputReader.ts"
import * as ProcessEnvironment from "./ProcessEnvironment.ts"
import * as ProcessGroup from "./ProcessGroup.ts"
import * as ProcessOutcome from "./ProcessOutcome.ts"

export interface ProcessRunnerOptions {
  /**
   * Program and arguments, with placeholders (R33). A program that is a relative path with a slash is looked for from `cwd`, or from where
   * the host was started, not from the agent's workspace.
   */
  readonly command: ReadonlyArray<string>
  /** `payload` (default): one JSON document, then closed. `lines`: the payload is the first line and the input stays open. */
  readonly stdin?: "payload" | "lines"
  /** End with ORCH_EMPTY_RESULT where no result line came. Default false: the end of standard output is the result. */
  readonly requireResult?: boolean
  /** Where the process starts if it has no workspace. Default: where the host was started. */
  readonly cwd?: string
  /** Added to the environment that it inherits. */
  readonly env?: Readonly<Record<string, string>>
  /** Between TERM and KILL, in milliseconds. */
  readonly stopGraceMillis?: number
  readonly limits?: Partial<OutputReader.OutputLimits>
}

/** The name by which workflows ask for it. */
export const name = "process"

/** A runner of one command. Nothing that it starts outlives the scope of a run. */
export const make = (options: ProcessRunnerOptions): Effect.Effect<Runner> =>
  Effect.sync(() => {
    const folder = resolve(options.cwd ?? ".")
    // An agent inherits the host's environment, as every program does.
    const base = ProcessEnvironment.inherited(process.env, options.env ?? {})
    const redact = Redaction.redactor(base)
    const bounds = { ...OutputReader.defaultLimits, ...options.limits }

    const run: Runner["run"] = Effect.fnUntraced(function* (assignment, emit, markers, mail) {
      const argv = yield* Effect.fromResult(CommandLine.ofAssignment(options.command, folder, assignment))
      const { workspace } = assignment
      const cwd = workspace?.path ?? folder
      const keepsInput = options.stdin === "lines"
      const earlier = yield* Effect.fromResult(MarkerLines.variable(assignment, markers, keepsInput))
      const input: { write: ProcessGroup.ProcessGroup["write"] } = { write: () => undefined }
      const answer = keepsInput ? (line: string) => input.write(line) : null
      const steps = yield* MarkerLines.make({ assignment, markers, emit, answer })
      const started = yield* Deferred.make<Effect.Effect<void>>()
      const ready = Effect.flatten(Deferred.await(started))
      const messages = yield* MessageLines.make({
        mail,
        emit,
        input: answer === null ? null : { write: answer, ready }
      })
      // Acquired before the process, so that it also hears what is said while that is stopped.
      const reader = yield* Effect.acquireRelease(
        Effect.sync(() => OutputReader.make(bounds, redact, emit, steps.take, messages.take)),
        // Said once a life, however it ends: as a plain line it only looks like output.
        ({ end }) =>
          Effect.suspend(() => {
            const { broken } = end()
            if (broken === null) return Effect.void
            const whose = `of the agent of job ${assignment.jobId}`
            return Effect.logWarning(`a line ${whose} looks like a message and is no JSON: ${broken}`)
          })
      )
      const process: ProcessOutcome.Process = {
        assignment,
        command: BoundedText.truncate(basename(argv[0]), 64),
        requireResult: options.requireResult ?? false
      }
      const group = yield* ProcessGroup.start({
        argv,
        cwd,
        env: ProcessEnvironment.ofAssignment(base, assignment, earlier),
        input: `${assignment.payloadJson}\n`,
        keepInputOpen: keepsInput,
        graceMillis: options.stopGraceMillis ?? defaults.stopGraceMillis,
        onOutput: reader.push
      }).pipe(
        Effect.mapError((error) => ProcessOutcome.startError(process, error, existsSync(cwd) ? null : cwd))
      )
      input.write = group.write
      yield* Deferred.succeed(started, group.ready)
      const ended = yield* group.ended
      const report = reader.end()
      yield* steps.drained
      yield* messages.drained
      return yield* ProcessOutcome.outcome(process, ended, report)
    })

    return { name, listens: options.stdin === "lines", run }
  })
