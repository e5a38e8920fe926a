/**
 * What the key of a world, and what stands for it, say of the step that is to be done once: how far it is written down, whether somebody asks
 * about it, and what operators have said.
 */
import type { Job } from "../../domain/Job.ts"
import { askAbout } from "../../domain/JobHold.ts"
import { maySettle } from "../../domain/turn/settle.ts"
import type { Signal } from "../../domain/turn/Signal.ts"
import { firstAnswer } from "../world/Commit.ts"
import { stepName } from "../world/Steps.ts"
import type { Stored, World } from "../world/World.ts"

/** In what stands for a world: the incarnation that lives; what came before, and a landing's target doesn't refuse. */
export const living = 9
export const former = 2

/** The outcome of a cancel or an answer that nobody has given: it keeps the place of one. */
export const noCancel = "none"

/** The number of an answer that is settled: there is no such one. */
export const settledAnswer = 2 * firstAnswer

type SettleWanted = Extract<Signal, { _tag: "SettleWanted" }>
type Answer = World["answers"][number]

/** Whether nobody has settled the answer that the signal brings. */
export const isOpen = ({ answers }: World, { intent }: SettleWanted): boolean =>
  answers[intent - firstAnswer]?.outcome === null

/** What an operator has said of the job's step, and nobody has settled yet. */
export const openAnswer = ({ answers }: World, seq: number): Answer | undefined =>
  answers.find(({ job, outcome }) => job === seq && outcome === null)

/** Whether the answer was one to what the row asked when it was read. */
const fitted = ({ askedOf, job, settlement }: SettleWanted): boolean =>
  job.agent?.incarnation === askedOf && maySettle(job, settlement)

/** The word of an answer: about which life, on which reading of the row, and whether it is needed any more. */
export const answerKey = (world: World, signal: SettleWanted, fresh: boolean, alive: number): string => {
  const { askedOf, settlement } = signal
  const own = askedOf === alive
  const may = fresh || fitted(signal)
  return `${signal._tag}${fresh}${own}${may}${settlement.outcome}${isOpen(world, signal)}`
}

/** What is known of a job's step, and what is asked and said of it. */
export const stepKey = (world: World, { job, markers, payments }: Stored): string => {
  const { agent, hold, seq } = job
  const marker = markers.get(stepName)
  if (marker === undefined) return hold === null ? "" : ",H"
  const answer = openAnswer(world, seq)
  const own = marker.incarnation === agent?.incarnation ? "*" : ""
  const open = agent?.steps.length === 0 ? "" : "o"
  return `,${marker.state}${own}${open}${payments}${hold === null ? "" : "H"}${answer === undefined ? "" : `Q${answer.done}${answer.askedOf === agent?.incarnation}`}`
}

/** An old reading of a row, which says whether the answer fitted it then: a commit on it is lost, unless its reader owns the job by now. */
export const askedBefore = (signal: SettleWanted, row: Job, incarnation: number): Job => {
  const steps = fitted(signal) ? [stepName] : []
  const waiting = { state: "abandoned", standing: "waiting", phase: null, owner: null } as const
  const agent = row.agent === null ? null : { ...row.agent, ...waiting, incarnation, steps }
  return { ...row, state: "RETRY_SCHEDULED", hold: null, agent }
}

/** The hold that stands for the job's: of the same question, asked now. */
export const holdOf = ({ agent, hold }: Job, now: number): string | null =>
  hold === null ? null : (askAbout(agent?.steps ?? [], now) ?? hold)

/** One for each job, so that a word of it finds its own. */
export const answerOf = (world: World, { job }: Stored, seq: number): Answer => {
  const answer = openAnswer(world, job.seq)
  const askedOf = answer?.askedOf === job.agent?.incarnation ? living : former
  return { job: seq, askedOf, done: answer?.done ?? false, outcome: answer === undefined ? noCancel : null }
}
