/**
 * The phases of an incarnation: each runs its plugin behind the fence, in a scope of its own, and ends with the signal that says
 * what came of it. None of them moves a state.
 */
import {
  BoundedText,
  defaults,
  EmptyResult,
  Failure,
  GateRejected,
  LandingConflict,
  LandingUnknown,
  limits,
  ResultTooLarge,
  type Signal,
  type Workspace,
  type Workspaces,
  WorkspaceUnhealthy
} from "@muster/core"
import { type Cause, Effect, Result } from "effect"
import * as Answers from "../plugins/Answers.ts"
import { ask, askRaising, isRaised } from "../plugins/Fence.ts"
import { assignmentOf, type Incarnation } from "./Incarnation.ts"
import { type Talk, talkTo } from "./Talk.ts"
import { again } from "./Tries.ts"

const from = (life: Incarnation) => ({ seq: life.seq, incarnation: life.number })

/** The workspace as it stands; null where it is gone, or can't be found. */
const find = (workspaces: Workspaces, ref: string): Effect.Effect<Workspace | null> =>
  Effect.orElseSucceed(
    ask(workspaces.name, "Workspaces.find", () => workspaces.find(ref), Answers.readFoundWorkspace),
    () => null
  )

/** prepare, then the sentinel. */
export const prepare = Effect.fnUntraced(function* (
  life: Incarnation,
  workspaces: Workspaces,
  enterSentinel: () => void
): Effect.fn.Return<Signal> {
  const previous = life.job.agent?.workspace ?? null
  const stood = previous !== null && (yield* find(workspaces, previous)) !== null
  const order = { jobId: life.job.jobId, incarnation: life.number, previous }
  // An acquisition is not interrupted: what was made and nobody knows of would be left for ever.
  const made = yield* Effect.uninterruptible(
    Effect.tap(
      Effect.result(
        askRaising(
          workspaces.name,
          "Workspaces.prepare",
          () => workspaces.prepare(order),
          Answers.readWorkspace
        )
      ),
      (prepared) =>
        Effect.sync(() => {
          if (Result.isSuccess(prepared)) life.workspace = prepared.success
        })
    )
  )
  if (Result.isFailure(made)) {
    const failure = Failure.fromError(made.failure)
    return { _tag: "PrepareFailed", ...from(life), phase: "prepare", failure, workspace: null }
  }
  life.isSamePlace = stood && made.success.ref === previous
  enterSentinel()
  // An answer of the check, as a gate's no; what it throws is a plugin that is broken.
  const unhealthy = (error: unknown) =>
    isRaised(error)
      ? error
      : new WorkspaceUnhealthy({
          jobId: life.job.jobId,
          workspaces: workspaces.name,
          ref: made.success.ref,
          detail: Failure.fromError(error).message
        })
  const checked = yield* Effect.result(
    askRaising(
      workspaces.name,
      "Workspaces.check",
      () => Effect.mapError(workspaces.check(made.success), unhealthy),
      () => Effect.void
    )
  )
  const workspace = made.success.ref
  if (Result.isFailure(checked)) {
    const failure = Failure.fromError(checked.failure)
    return { _tag: "PrepareFailed", ...from(life), phase: "sentinel", failure, workspace }
  }
  return { _tag: "Prepared", ...from(life), workspace }
})

/** Holds the raw result against the workflow's schema and the limit; its JSON text, or the failure of the attempt. */
const settle = (life: Incarnation, raw: unknown): Result.Result<string, Failure.Failure> => {
  const { workflow } = life.served
  const settled = workflow.settleResult(raw)
  if (Result.isFailure(settled)) {
    const failure =
      raw === undefined
        ? Failure.fromError(new EmptyResult({ jobId: life.job.jobId }))
        : Failure.fromMismatch(workflow.name, settled.failure, "result")
    return Result.fail(failure)
  }
  return Result.mapError(BoundedText.encodeJson(settled.success, limits.resultBytes), (refused) =>
    refused.reason === "too_large"
      ? Failure.fromError(new ResultTooLarge({ workflowType: workflow.name, limitBytes: limits.resultBytes }))
      : Failure.fromMismatch(workflow.name, { path: "", detail: refused.detail }, "result")
  )
}

/** work: the runner, in a scope that is closed before the signal is given. */
export const work = (life: Incarnation, token: string, talk: Talk): Effect.Effect<Signal> =>
  Effect.matchCause(Effect.scoped(talkTo(life, token, talk)), {
    onSuccess: (raw): Signal => {
      const result = settle(life, raw)
      return Result.isSuccess(result)
        ? { _tag: "Worked", ...from(life), result: result.success }
        : { _tag: "WorkFailed", ...from(life), failure: result.failure }
    },
    // Interrupted by nobody of ours: a runner that interrupts itself has crashed.
    onFailure: (cause): Signal => ({
      _tag: "WorkFailed",
      ...from(life),
      failure: Failure.fromCause(cause) ?? Failure.fromError(new Error("the runner interrupted itself"))
    })
  })

/** verify: all gates in order; the first that says no ends it. Null: all passed. */
const verdict = Effect.fnUntraced(function* (life: Incarnation, token: string, result: string) {
  for (const gate of life.served.gates) {
    const answer = yield* Effect.result(
      ask(
        gate.name,
        "Gate.check",
        () => gate.check(assignmentOf(life, token), result),
        Answers.readVerdict
      ).pipe(Effect.retry(again(defaults.tries.gate)))
    )
    if (Result.isFailure(answer)) return Failure.fromError(answer.failure)
    if (answer.success._tag === "Reject") {
      const { reasons } = answer.success
      return Failure.fromError(new GateRejected({ jobId: life.job.jobId, gate: gate.name, reasons }))
    }
  }
  return null
})

export const verify = (life: Incarnation, token: string, result: string): Effect.Effect<Signal> =>
  Effect.map(verdict(life, token, result), (failure): Signal =>
    failure === null
      ? { _tag: "Verified", ...from(life), result }
      : { _tag: "VerifyFailed", ...from(life), failure }
  )

/**
 * land: by the workflow's lander. A conflict is verified and landed once more on the new base (R27); a failure or a defect is settled
 * by the lander's own `check`, and by nothing else.
 */
export const land = Effect.fnUntraced(function* (
  life: Incarnation,
  token: string,
  result: string
): Effect.fn.Return<Signal> {
  const { lander } = life.served
  if (lander === null) return { _tag: "LandingDone", ...from(life), result, reference: null }
  const order = { assignment: assignmentOf(life, token), result, fencingToken: life.number }
  const unknown = (detail: string): Signal => ({
    _tag: "LandingUnknown",
    ...from(life),
    failure: Failure.fromError(new LandingUnknown({ jobId: life.job.jobId, lander: lander.name, detail }))
  })
  let conflicts = 0
  for (let round = 0; round < 3; round++) {
    const landing = yield* Effect.result(
      ask(lander.name, "Lander.land", () => lander.land(order), Answers.readLanding)
    )
    if (Result.isFailure(landing)) {
      const found = yield* Effect.result(
        ask(lander.name, "Lander.check", () => lander.check(order), Answers.readFound)
      )
      if (Result.isFailure(found) || found.success === "unknown") return unknown(landing.failure.message)
      if (found.success === "landed") return { _tag: "LandingDone", ...from(life), result, reference: null }
      continue
    }
    if (landing.success._tag === "Landed") {
      return { _tag: "LandingDone", ...from(life), result, reference: landing.success.reference }
    }
    if (++conflicts > 1) {
      const { detail } = landing.success
      const conflict = new LandingConflict({ jobId: life.job.jobId, lander: lander.name, detail })
      return { _tag: "LandingRejected", ...from(life), failure: Failure.fromError(conflict) }
    }
    const refused = yield* verdict(life, token, result)
    if (refused !== null) return { _tag: "LandingRejected", ...from(life), failure: refused }
  }
  const failure = Failure.fromError(
    new LandingConflict({
      jobId: life.job.jobId,
      lander: lander.name,
      detail: "it fails and leaves nothing behind"
    })
  )
  return { _tag: "LandingRejected", ...from(life), failure }
})

/**
 * After a landing of which nobody knows whether it happened: the lander is asked, with the very order, before anything else (R27).
 * `result`: of the work that was to be landed; null where it is gone.
 */
export const reconcile = Effect.fnUntraced(function* (
  life: Incarnation,
  token: string,
  result: string | null
): Effect.fn.Return<Signal> {
  const { lander, workspaces } = life.served
  const ref = life.job.agent?.workspace ?? null
  if (workspaces !== null && ref !== null) life.workspace = yield* find(workspaces, ref)
  const unknown = (detail: string): Signal => {
    const doubt = new LandingUnknown({ jobId: life.job.jobId, lander: lander?.name ?? "keep", detail })
    return { _tag: "LandingUnknown", ...from(life), failure: Failure.fromError(doubt) }
  }
  if (result === null) return unknown("the result that was to be landed is gone")
  if (lander === null) return { _tag: "LandingDone", ...from(life), result, reference: null }
  const order = { assignment: assignmentOf(life, token), result, fencingToken: life.number }
  const found = yield* Effect.result(
    ask(lander.name, "Lander.check", () => lander.check(order), Answers.readFound)
  )
  if (Result.isFailure(found)) return unknown(found.failure.message)
  switch (found.success) {
    case "landed":
      return { _tag: "LandingDone", ...from(life), result, reference: null }
    case "absent":
      return { _tag: "LandingAbsent", ...from(life), result }
    case "unknown":
      return unknown("it can't tell")
  }
})

/** What is said of a phase that has come to an end that nobody foresaw: a bug, of ours or behind a result's getters. */
export const broken = (life: Incarnation, cause: Cause.Cause<never>): Signal => {
  const failure = Failure.fromCause(cause) ?? Failure.fromError(new Error("it was interrupted by nobody"))
  const workspace = life.workspace?.ref ?? null
  switch (life.vitals.phase) {
    case "prepare":
    case "sentinel":
      return { _tag: "PrepareFailed", ...from(life), phase: life.vitals.phase, failure, workspace }
    case "verify":
      return { _tag: "VerifyFailed", ...from(life), failure }
    case "land":
      return { _tag: "LandingUnknown", ...from(life), failure }
    default:
      return { _tag: "WorkFailed", ...from(life), failure }
  }
}
