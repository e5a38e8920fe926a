/**
 * A gate that is a program: exit 0 passes, 1 to 125 rejects with its last lines as reasons, everything else is a broken gate (R25). It runs
 * in the agent's workspace with the agent's environment and reads the encoded result, one JSON document, from standard input.
 */
import { resolve } from "node:path"
import {
  type Assignment,
  BoundedText,
  defaults,
  type Gate,
  limits,
  type PayloadTypeMismatch,
  PluginFailed,
  Redaction,
  type Verdict
} from "@muster/core"
import { Effect } from "effect"
import * as CommandLine from "./process/CommandLine.ts"
import * as OutputTail from "./process/OutputTail.ts"
import * as ProcessEnvironment from "./process/ProcessEnvironment.ts"
import * as ProcessGroup from "./process/ProcessGroup.ts"

export interface CommandGateOptions {
  /** Unique among the fleet's gates. */
  readonly name: string
  /** Program and arguments, with placeholders for the payload (R33). No shell. */
  readonly command: ReadonlyArray<string>
  /** A gate that takes longer is broken, in milliseconds. Default: the phase's own deadline. */
  readonly timeoutMillis?: number
  /** Where it starts for a job without a workspace. Default: where the host was started. */
  readonly cwd?: string
  /** Added to the environment that it inherits. */
  readonly env?: Readonly<Record<string, string>>
  /** Between TERM and KILL, in milliseconds. */
  readonly stopGraceMillis?: number
}

/** How much of what it wrote goes to the next attempt. */
const reasons = { lines: 20, bytes: 8_192 }

const lastLines = (tail: OutputTail.OutputTail, redact: (text: string) => string): ReadonlyArray<string> =>
  redact(tail.text())
    .split("\n")
    // Of a cut output the first line may be a half, and half a secret is not recognised.
    .slice(tail.isCut() ? 1 : 0)
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .slice(-reasons.lines)
    .map((line) => BoundedText.truncate(line, limits.reasonBytes))

export const make = (options: CommandGateOptions): Gate => {
  const folder = resolve(options.cwd ?? ".")
  // A gate inherits the host's environment, as every program does.
  const base = ProcessEnvironment.inherited(process.env, options.env ?? {})
  const redact = Redaction.redactor(base)
  const broken = (detail: string) =>
    new PluginFailed({ plugin: options.name, operation: "Gate.check", detail })

  const verdict = ({ code, signal }: ProcessGroup.Ended, said: ReadonlyArray<string>) => {
    if (code === 0) return Effect.succeed<Verdict>({ _tag: "Pass" })
    if (code !== null && code <= 125) {
      const why = said.length > 0 ? said : [`${options.name} exited with ${code} and said nothing`]
      return Effect.succeed<Verdict>({ _tag: "Reject", reasons: why })
    }
    const end = signal === null ? `its command exited with ${code}` : `its command was ended by ${signal}`
    return Effect.fail(broken([end, ...said.slice(-1)].join(": ")))
  }

  const judge = Effect.fnUntraced(function* (assignment: Assignment, result: string) {
    const argv = yield* Effect.fromResult(CommandLine.ofAssignment(options.command, folder, assignment))
    const tail = OutputTail.make(reasons.bytes)
    const group = yield* ProcessGroup.start({
      argv,
      cwd: assignment.workspace?.path ?? folder,
      env: ProcessEnvironment.ofAssignment(base, assignment, null),
      input: `${result}\n`,
      keepInputOpen: false,
      graceMillis: options.stopGraceMillis ?? defaults.stopGraceMillis,
      onOutput: (_, chunk) => {
        tail.push(chunk)
        return true
      }
    }).pipe(Effect.mapError(({ detail }) => broken(`its command can't be started: ${detail}`)))
    return yield* verdict(yield* group.ended, lastLines(tail, redact))
  })

  const { timeoutMillis } = options
  const bounded = (work: Effect.Effect<Verdict, PayloadTypeMismatch | PluginFailed>) =>
    timeoutMillis === undefined
      ? work
      : Effect.timeoutOrElse(work, {
          duration: timeoutMillis,
          orElse: () => Effect.fail(broken(`it took longer than ${timeoutMillis} ms`))
        })

  return {
    name: options.name,
    // A scope of its own: when a verdict is out, nothing of the gate runs any more.
    check: (assignment, result) => bounded(Effect.scoped(judge(assignment, result)))
  }
}
