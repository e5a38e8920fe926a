// What tests of real processes ask the system, and how they run one.
import { existsSync, readFileSync } from "node:fs"
import type { AgentEvent, Assignment, Emit, Mail, Markers } from "@muster/core"
import { assignment, recordMail, recordMarkers } from "@muster/core/testing"
import { Deferred, Effect, Exit, Fiber } from "effect"
import * as ProcessRunner from "../../../src/adapters/process/ProcessRunner.ts"
import * as System from "../../../src/adapters/process/SystemProcesses.ts"

/** Whether a process lives: it is there and no zombie. */
export const isLiving = (pid: number): boolean =>
  System.hasProc ? System.procStat(pid)?.isZombie === false : System.isTaken(pid)

/** Numbers that a test's agent wrote into a file, such as pids; none before it has. */
export const numbersIn = (path: string): ReadonlyArray<number> =>
  existsSync(path) ? readFileSync(path, "utf8").split(/\s+/).filter(Boolean).map(Number) : []

type Options = Omit<ProcessRunner.ProcessRunnerOptions, "command">

export interface Run {
  readonly exit: Exit.Exit<unknown, unknown>
  readonly events: ReadonlyArray<AgentEvent>
  /** Texts of the lines, of all sources. */
  readonly lines: ReadonlyArray<string>
}

const textsOf = (events: ReadonlyArray<AgentEvent>) =>
  events.flatMap((event) => (event._tag === "Line" ? [event.text] : []))

/** Runs a command to its end in a scope of its own. */
export const run = Effect.fnUntraced(function* (
  command: ReadonlyArray<string>,
  payload: unknown = {},
  options: Options = {},
  changes: Partial<Assignment> = {},
  listen: Emit = () => undefined,
  markers: Markers = recordMarkers().markers,
  mail: Mail = recordMail().mail
) {
  const events: Array<AgentEvent> = []
  const runner = yield* ProcessRunner.make({ stopGraceMillis: 200, ...options, command })
  const exit = yield* runner
    .run(
      assignment({ payload, ...changes }),
      (event) => {
        events.push(event)
        listen(event)
      },
      markers,
      mail
    )
    .pipe(Effect.scoped, Effect.exit)
  return { exit, events, lines: textsOf(events) } satisfies Run
})

/** Runs a shell script. */
export const sh = (
  script: string,
  payload?: unknown,
  options?: Options,
  changes?: Partial<Assignment>,
  listen?: Emit,
  markers?: Markers,
  mail?: Mail
) => run(["sh", "-c", script], payload, options, changes, listen, markers, mail)

/** Starts a script and interrupts it when it has said its first line; answers that line's numbers: its pids. */
export const interrupted = Effect.fnUntraced(function* (
  script: string,
  options: Options = {},
  markers: Markers = recordMarkers().markers
) {
  const said = yield* Deferred.make<string>()
  const runner = yield* ProcessRunner.make({
    stopGraceMillis: 200,
    ...options,
    command: ["sh", "-c", script]
  })
  const fiber = yield* runner
    .run(
      assignment(),
      (event) => {
        if (event._tag === "Line") Deferred.doneUnsafe(said, Exit.succeed(event.text))
      },
      markers,
      recordMail().mail
    )
    .pipe(Effect.scoped, Effect.forkChild)
  const pids = (yield* Deferred.await(said)).split(" ").map(Number)
  const wereLiving = pids.every(isLiving)
  yield* Fiber.interrupt(fiber)
  return { pids, wereLiving, survivors: pids.filter(isLiving) }
})

/** The error of a run that failed; its tag is the code. */
export const errorOf = ({
  exit
}: Run): { readonly code: string; readonly message: string; readonly error: unknown } => {
  const error = Exit.isFailure(exit)
    ? exit.cause.reasons.find((reason) => reason._tag === "Fail")?.error
    : undefined
  const code = typeof error === "object" && error !== null && "_tag" in error ? String(error._tag) : ""
  return { code, message: error instanceof Error ? error.message : "", error }
}
