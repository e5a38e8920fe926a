/**
 * A fake runner whose agents do what a test has written down: emit events, wait until the test lets them go on, fail, die, refuse to be
 * interrupted for a while, succeed. It keeps a journal that a test waits for, so that no test waits for time.
 */
import { Deferred, Duration, Effect, Exit, type Scope } from "effect"
import type { AgentEvent, Assignment, Emit, Runner } from "../ports/Runner.ts"

/** One thing that an agent does; a script is a list of them. An end (`Succeed`, `Fail`, `Die`) leaves the rest undone. */
export type Step =
  | { readonly _tag: "Emit"; readonly event: AgentEvent }
  /** Goes on when the test has released the gate. */
  | { readonly _tag: "WaitFor"; readonly gate: string }
  /** As `WaitFor`, but an interruption waits until the gate is released too. */
  | { readonly _tag: "InsistUntil"; readonly gate: string }
  /** The scope of this incarnation is not closed before the gate is released. */
  | { readonly _tag: "CleanUpUntil"; readonly gate: string }
  /** As `CleanUpUntil`, but for a time on the clock of the test. */
  | { readonly _tag: "CleanUpFor"; readonly duration: Duration.Input }
  | { readonly _tag: "Sleep"; readonly duration: Duration.Input }
  | { readonly _tag: "InterruptItself" }
  | { readonly _tag: "Succeed"; readonly result: unknown }
  | { readonly _tag: "Fail"; readonly error: unknown }
  | { readonly _tag: "Die"; readonly defect: unknown }

export const emit = (event: AgentEvent): Step => ({ _tag: "Emit", event })
/** A sign of life. */
export const beat: Step = emit({ _tag: "Heartbeat" })
export const waitFor = (gate: string): Step => ({ _tag: "WaitFor", gate })
export const insistUntil = (gate: string): Step => ({ _tag: "InsistUntil", gate })
export const cleanUpUntil = (gate: string): Step => ({ _tag: "CleanUpUntil", gate })
export const cleanUpFor = (duration: Duration.Input): Step => ({ _tag: "CleanUpFor", duration })
/** On the clock of the test. */
export const sleep = (duration: Duration.Input): Step => ({ _tag: "Sleep", duration })
export const interruptItself: Step = { _tag: "InterruptItself" }
export const succeed = (result: unknown): Step => ({ _tag: "Succeed", result })
/** Fails with an error whose tag is the code; `fields` are its own, as `retryAfterMillis`. */
export const fail = (code: string, fields: Readonly<Record<string, unknown>> = {}): Step => ({
  _tag: "Fail",
  error: { message: `scripted ${code}`, ...fields, _tag: code }
})
/** Fails with anything at all. */
export const failWith = (error: unknown): Step => ({ _tag: "Fail", error })
export const die = (defect: unknown): Step => ({ _tag: "Die", defect })

/** What the agents of an assignment do. Asked once an incarnation. */
export type Script = (assignment: Assignment) => ReadonlyArray<Step>

/** What became of one incarnation; `released` comes last, when its scope is closed and nothing of it is left. */
export interface Entry {
  readonly assignment: Assignment
  readonly what: "started" | "succeeded" | "failed" | "died" | "interrupted" | "released"
}

export interface ScriptedRunner {
  readonly runner: Runner
  /** Everything that has happened, in order. */
  readonly journal: ReadonlyArray<Entry>
  /** The incarnations of which something is alive. */
  readonly living: () => number
  /** The most that were ever alive at once. */
  readonly peak: () => number
  /** The assignments that were started, in order; of one job if asked. */
  readonly starts: (jobId?: string) => ReadonlyArray<Assignment>
  /** Opens a gate: who waits there goes on, and who comes later doesn't stop. */
  readonly release: (gate: string) => Effect.Effect<void>
  /** Waits until this many incarnations have started, and answers the last of them. */
  readonly started: (count: number) => Effect.Effect<Assignment>
  /** Waits until the journal is as wanted. */
  readonly until: (wanted: (journal: ReadonlyArray<Entry>) => boolean) => Effect.Effect<void>
}

const howItEnded = (exit: Exit.Exit<unknown, unknown>): Entry["what"] =>
  Exit.isSuccess(exit)
    ? "succeeded"
    : Exit.hasFails(exit)
      ? "failed"
      : Exit.hasDies(exit)
        ? "died"
        : "interrupted"

/** A runner of these scripts. Without a script's end the result is undefined. */
export const make = (script: Script, name = "scripted"): ScriptedRunner => {
  const journal: Array<Entry> = []
  const gates = new Map<string, Deferred.Deferred<void>>()
  const waiting = new Set<{
    readonly wanted: (journal: ReadonlyArray<Entry>) => boolean
    readonly met: Deferred.Deferred<void>
  }>()
  let living = 0
  let peak = 0

  const record = (assignment: Assignment, what: Entry["what"]): void => {
    if (what === "started") peak = Math.max(peak, ++living)
    if (what === "released") living--
    journal.push({ assignment, what })
    for (const one of waiting) {
      if (!one.wanted(journal)) continue
      waiting.delete(one)
      Deferred.doneUnsafe(one.met, Exit.void)
    }
  }
  const gateOf = (gate: string): Deferred.Deferred<void> => {
    const made = gates.get(gate) ?? Deferred.makeUnsafe<void>()
    gates.set(gate, made)
    return made
  }
  const passed = (gate: string) => Deferred.await(gateOf(gate))

  const act = (step: Step, tell: Emit): Effect.Effect<unknown, unknown, Scope.Scope> => {
    switch (step._tag) {
      case "Emit":
        return Effect.sync(() => tell(step.event))
      case "WaitFor":
        return passed(step.gate)
      case "InsistUntil":
        return Effect.uninterruptible(passed(step.gate))
      case "CleanUpUntil":
        return Effect.addFinalizer(() => passed(step.gate))
      case "CleanUpFor":
        return Effect.addFinalizer(() => Effect.sleep(step.duration))
      case "Sleep":
        return Effect.sleep(step.duration)
      case "InterruptItself":
        return Effect.interrupt
      case "Succeed":
        return Effect.succeed(step.result)
      case "Fail":
        return Effect.fail(step.error)
      default:
        return Effect.die(step.defect)
    }
  }

  const play = Effect.fnUntraced(function* (assignment: Assignment, tell: Emit) {
    for (const step of script(assignment)) {
      const result = yield* act(step, tell)
      if (step._tag === "Succeed") return result
    }
    return undefined
  })

  const until = (wanted: (journal: ReadonlyArray<Entry>) => boolean): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (wanted(journal)) return Effect.void
      const met = Deferred.makeUnsafe<void>()
      waiting.add({ wanted, met })
      // The agent goes on first: who waits for it is not to run in the middle of its step.
      return Effect.andThen(Deferred.await(met), Effect.yieldNow)
    })
  const starts = (jobId?: string): ReadonlyArray<Assignment> =>
    journal.flatMap(({ assignment, what }) =>
      what === "started" && (jobId === undefined || assignment.jobId === jobId) ? [assignment] : []
    )

  return {
    runner: {
      name,
      run: (assignment, tell) =>
        Effect.acquireRelease(
          Effect.sync(() => record(assignment, "started")),
          () => Effect.sync(() => record(assignment, "released"))
        ).pipe(
          Effect.andThen(play(assignment, tell)),
          Effect.onExit((exit) => Effect.sync(() => record(assignment, howItEnded(exit))))
        )
    },
    journal,
    living: () => living,
    peak: () => peak,
    starts,
    release: (gate) => Effect.asVoid(Deferred.succeed(gateOf(gate), undefined)),
    started: (count) =>
      Effect.flatMap(
        until(() => starts().length >= count),
        () => {
          const found = starts()[count - 1]
          return found === undefined ? Effect.die(`there is no start number ${count}`) : Effect.succeed(found)
        }
      ),
    until
  }
}
