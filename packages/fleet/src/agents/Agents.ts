/**
 * The supervisor: carries out the commands of a turn. Every phase of an incarnation is a fiber of its own, owned by a FiberMap; an idle agent
 * has none. What a phase brings back arrives at the loop as a signal, once its finalisers are done.
 */
import { type Command, defaults, dispositionOf, type Emit, type Job, type Signal } from "@muster/core"
import { Clock, Duration, Effect, Exit, Fiber, FiberMap, FiberSet, Option, Scope } from "effect"
import type { OpenLogs } from "../adapters/logs/AgentLogs.ts"
import { instant, monotonic } from "../Instant.ts"
import * as Recall from "../jobs/Recall.ts"
import type { PostOffice } from "../messages/PostOffice.ts"
import type { Meters } from "../observability/Meters.ts"
import type { ServedWorkflow } from "../plugins/ServedWorkflow.ts"
import type { AgentLines } from "./AgentLines.ts"
import * as Closing from "./Closing.ts"
import { begin, type Incarnation } from "./Incarnation.ts"
import * as IncarnationTrace from "./IncarnationTrace.ts"
import { Living } from "./Living.ts"
import { MarkerDesk } from "./MarkerDesk.ts"
import { overdue } from "./Overdue.ts"
import * as Phases from "./Phases.ts"
import type { Spent } from "./Spending.ts"
import { type AgentGlimpse, vigilMillis } from "./Vitals.ts"

export interface AgentsOptions {
  readonly served: ReadonlyMap<string, ServedWorkflow>
  /** The host's token for processes (R20). */
  readonly token: string
  /** Gives a signal to the loop; never waits. */
  readonly post: (signal: Signal) => void
  /** Why the gates turned down the attempt before; asked for recovered incarnations only. */
  readonly feedback: (job: Job) => Effect.Effect<ReadonlyArray<string>>
  /** What earlier incarnations, or replayed jobs, have done already (R28). */
  readonly recall: (job: Job) => Effect.Effect<Recall.Recalled>
  /** Where its agents get and leave their messages. */
  readonly office: PostOffice
  /** Where their lines are kept. */
  readonly logs: OpenLogs
  /** How long an interrupted incarnation may take to end, in milliseconds; then it is hung. */
  readonly hungMillis: number
  /** Told how many hung incarnations are still alive, each time that this changes (R4). */
  readonly onHung: (count: number) => void
  readonly meters: Meters
}

export interface Agents {
  /** Carries out one command: returns when it is under way, never when it is done. */
  readonly perform: (command: Command) => Effect.Effect<void>
  readonly glimpses: Effect.Effect<ReadonlyArray<AgentGlimpse>>
  /** The lines of a job's living incarnation, by the job's number; undefined: none lives here. */
  readonly lines: (seq: number) => AgentLines | undefined
  /** What all of them have reported so far. */
  readonly spent: () => Spent
  /** Stops all fibers and waits for their end, without a word to the loop: the host has lost its fence. */
  readonly kill: Effect.Effect<void>
}

/** A tick that comes so late means that the machine slept, in milliseconds: that time is nobody's silence. */
const suspendedMillis = 10_000

/** Tells once of an agent that waits for an answer: nobody else would know (R35). */
const tellQuestion = ({ job, number, served, vitals }: Incarnation) => {
  vitals.questionTold = true
  const limit = Duration.format(Duration.millis(served.policy.inputMillis))
  const waits = `agent of job ${job.jobId} waits for an answer, for at most ${limit}`
  return IncarnationTrace.annotated(job, number, Effect.logWarning(`${waits}: ${vitals.question}`))
}

export const make = Effect.fnUntraced(function* (options: AgentsOptions) {
  const clock = yield* Clock.Clock
  // A scope of its own: the fleet's scope would wait for hung fibers for ever.
  const scope = yield* Scope.make()
  const fibers = yield* Scope.provide(FiberMap.make<number>(), scope)
  const stops = yield* FiberSet.make()
  const hung = new Set<Fiber.Fiber<unknown, unknown>>()
  const living = new Living(options.logs)
  const tracing = yield* IncarnationTrace.make
  const now = () => monotonic(clock)
  /** As an instant for people: what is monotonic means nothing outside of this process. */
  const toInstant = (at: number) => instant(clock) - now() + at
  const desk = new MarkerDesk({ post: options.post, now })

  /** Runs a phase in the agent's fiber; its signal is given when the fiber has nothing left to release. */
  const run = (life: Incarnation, phase: Effect.Effect<Signal>) => {
    const say = (signal: Signal) => {
      if (!life.interrupted) options.post(signal)
    }
    return FiberMap.run(
      fibers,
      life.seq,
      Effect.matchCause(tracing.inPhase(life, phase), {
        onSuccess: say,
        // No phase may end without a word: its agent would wait for ever.
        onFailure: (cause) => say(Phases.broken(life, cause))
      }),
      { startImmediately: true }
    )
  }

  const emitOf =
    (life: Incarnation): Emit =>
    (event) => {
      const { spent } = living
      living.hear(life, event, now(), instant(clock))
      if (event._tag === "Usage") options.meters.spent(spent, living.spent)
    }

  const incarnate = (
    command: Extract<Command, { readonly _tag: "Begin" | "Prepare" | "Reconcile" }>
  ): Incarnation | undefined => {
    const { job, payload, payloadJson } = command
    const served = options.served.get(job.workflowType)
    if (served === undefined || job.agent === null) return undefined
    const life = begin({ job, agent: job.agent, served, payload, payloadJson }, now())
    living.add(life)
    life.trace = tracing.begin(life)
    return life
  }

  /** The work of an incarnation; what those before it have done, and the reasons of an earlier rejection, are fetched first. */
  const working = (life: Incarnation): Effect.Effect<Signal> => {
    const work = options.office.during(life, (mail) =>
      Phases.work(life, options.token, { emit: emitOf(life), markers: desk.of(life), mail })
    )
    if (!Recall.isWorthIt(life.job, life.number)) return work
    const before = Effect.all([options.recall(life.job), options.feedback(life.job)])
    return Effect.flatMap(before, ([markers, feedback]): Effect.Effect<Signal> => {
      life.markers = markers
      life.feedback = feedback
      const { commit } = markers
      if (commit === null) return work
      const { number: incarnation, seq } = life
      if (life.isSamePlace)
        return Effect.succeed({ _tag: "Worked", seq, incarnation, result: commit, recalled: true })
      // What belongs to that result is gone with its workspace (R5).
      return Effect.flatMap(desk.forgetWork(life), (forgotten) => (forgotten ? work : Effect.interrupt))
    })
  }

  /** Gives an incarnation up, and takes note when it ends after all. */
  const giveUp = (fiber: Fiber.Fiber<unknown, unknown>): void => {
    hung.add(fiber)
    fiber.addObserver(() => {
      hung.delete(fiber)
      options.onHung(hung.size)
    })
    options.onHung(hung.size)
  }

  /** Stops an incarnation's fiber; one that doesn't end in time is given up (R4). */
  const interrupt = Effect.fnUntraced(function* (seq: number, incarnation: number) {
    const life = living.get(seq)
    if (life !== undefined) life.interrupted = true
    const fiber = Option.getOrUndefined(FiberMap.getUnsafe(fibers, seq))
    const post = (_tag: "Ended" | "Hung") =>
      options.post({ _tag, seq, incarnation, workspace: life?.workspace?.ref ?? null })
    if (fiber === undefined) {
      post("Ended")
      return
    }
    fiber.interruptUnsafe()
    yield* FiberSet.run(
      stops,
      Fiber.await(fiber).pipe(
        Effect.timeoutOption(options.hungMillis),
        Effect.map((exit) => {
          if (Option.isNone(exit)) giveUp(fiber)
          post(Option.isSome(exit) ? "Ended" : "Hung")
        })
      )
    )
  })

  const perform = (command: Command): Effect.Effect<unknown> => {
    switch (command._tag) {
      case "Begin": {
        const life = incarnate(command)
        return life === undefined ? Effect.void : run(life, working(life))
      }
      case "Prepare": {
        const life = incarnate(command)
        if (life === undefined || life.served.workspaces === null) return Effect.void
        const enterSentinel = () => life.vitals.enter("sentinel", now())
        return run(life, Phases.prepare(life, life.served.workspaces, enterSentinel))
      }
      case "Reconcile": {
        const life = incarnate(command)
        if (life === undefined) return Effect.void
        const asked = Effect.flatMap(options.recall(life.job), ({ commit }) =>
          Phases.reconcile(life, options.token, commit)
        )
        return run(life, asked)
      }
      case "Work":
      case "Verify":
      case "Land": {
        const life = living.get(command.job.seq)
        if (life === undefined) return Effect.void
        life.job = command.job
        life.vitals.enter(command.job.agent?.phase ?? "work", now())
        const phase =
          command._tag === "Work"
            ? working(life)
            : command._tag === "Verify"
              ? Phases.verify(life, options.token, command.result)
              : Phases.land(life, options.token, command.result)
        return run(life, phase)
      }
      case "Archive":
      case "Clean":
        return leave(command)
      case "Interrupt":
        return interrupt(command.seq, command.incarnation)
      case "Acknowledge":
        desk.answer(command.id, command.accepted)
        return Effect.void
      case "Forget":
        living.leave(command.job.seq)
        options.office.settle(command.job)
        return Effect.void
    }
  }

  /** The end of an agent with a workspace; its incarnation is over, so it is found by the row alone. */
  const leave = (
    command: Extract<Command, { readonly _tag: "Archive" | "Clean" }>
  ): Effect.Effect<unknown> => {
    const { agent, jobId, seq, workflowType } = command.job
    living.leave(seq)
    options.office.settle(command.job)
    if (agent === null) return Effect.void
    const who = { seq, incarnation: agent.incarnation }
    const workspaces = options.served.get(workflowType)?.workspaces ?? null
    const ref = agent.workspace
    if (workspaces === null || ref === null) {
      const reason = "its workflow names no workspace here"
      const fate =
        ref === null ? ({ _tag: "Removed" } as const) : ({ _tag: "Kept", at: ref, reason } as const)
      return Effect.sync(() => options.post({ _tag: "Cleaned", ...who, fate }))
    }
    const limit = options.served.get(workflowType)?.policy.deadlines.clean ?? null
    const name = command._tag === "Archive" ? "archive" : "clean"
    const phase =
      command._tag === "Archive"
        ? Closing.archive(who, workspaces, ref, jobId)
        : Closing.clean(who, workspaces, ref, dispositionOf(command.job.state), limit)
    const traced = tracing.after(command.job, name, phase)
    return FiberMap.run(fibers, seq, Effect.map(traced, options.post), { startImmediately: true })
  }

  /** What is overdue of one incarnation; reported once. */
  const watch = (life: Incarnation, at: number): void => {
    if (life.vitals.reported || life.interrupted) return
    const late = overdue(life, at)
    if (late === null) return
    life.vitals.reported = true
    options.post(late)
  }

  /** One watcher for all agents, not one sleeping fiber each. */
  const vigil = Effect.gen(function* () {
    let before = now()
    for (;;) {
      yield* Effect.sleep(vigilMillis)
      const at = now()
      const slept = at - before - vigilMillis
      before = at
      if (slept <= suspendedMillis) options.meters.lagged(slept)
      for (const life of living.values()) {
        if (slept > suspendedMillis) life.vitals.shift(slept, at)
        else watch(life, at)
        if (life.vitals.question !== null && !life.vitals.questionTold) yield* tellQuestion(life)
      }
    }
  })
  yield* Effect.forkScoped(vigil)

  const kill = Effect.suspend(() => {
    living.interrupt()
    desk.close()
    const ending = Array.from(fibers, ([, fiber]) => fiber).filter((fiber) => !hung.has(fiber))
    return Effect.timeoutOption(Fiber.interruptAll(ending), defaults.stopGraceMillis * 2)
  }).pipe(Effect.andThen(Effect.sync(() => living.clear())))
  yield* Effect.addFinalizer(() =>
    Effect.andThen(kill, Effect.forkDetach(Scope.close(scope, Exit.void), { startImmediately: true }))
  )

  const agents: Agents = {
    perform: (command) => Effect.asVoid(perform(command)),
    glimpses: Effect.sync(() =>
      Array.from(living.values(), (life) => life.vitals.glimpse(life.job, life.served.policy, toInstant))
    ),
    lines: (seq) => living.lines(seq),
    spent: () => living.spent,
    kill
  }
  return agents
})
