/**
 * What of an incarnation is overdue: a phase beyond its deadline, or work that is silent, stalled, or waits for an answer for too long (R35).
 */
import { AgentStalled, Failure, InputRequired, PhaseTimeout, type Signal, StreamSilence } from "@muster/core"
import type { Incarnation } from "./Incarnation.ts"

type Overdue = Extract<Signal, { readonly _tag: "Overdue" }>

/** Null: nothing is. */
export const overdue = (life: Incarnation, at: number): Overdue | null => {
  const { job, served, vitals } = life
  const { phase } = vitals
  const { jobId } = job
  const late = (why: Overdue["why"], error: unknown): Overdue => ({
    _tag: "Overdue",
    seq: life.seq,
    incarnation: life.number,
    phase,
    why,
    failure: Failure.fromError(error)
  })
  const limits: { readonly [phase: string]: number | null } = { ...served.policy.deadlines }
  const limitMillis = limits[phase] ?? null
  if (limitMillis !== null && at - vitals.phaseStartedAt >= limitMillis)
    return late("deadline_exceeded", new PhaseTimeout({ jobId, phase, limitMillis }))
  const patience = phase === "work" ? vitals.patience(served.policy) : null
  if (patience === null || at < patience.until) return null
  switch (patience.with) {
    case "silence":
      return late("stream_silence", new StreamSilence({ jobId, silentMillis: at - vitals.lastEventAt }))
    case "standstill":
      return late("stalled", new AgentStalled({ jobId, idleMillis: at - vitals.lastProgressAt }))
    case "question":
      return late(
        "input_required",
        new InputRequired({ jobId, question: vitals.question ?? "", waitedMillis: at - vitals.askedAt })
      )
  }
}
