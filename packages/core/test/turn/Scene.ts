/**
 * What the tests of a turn start from: one host, a few workflows, jobs in each state, and a short notation for what a turn has decided.
 */
import { Effect, Result } from "effect"
import type { Agent, Owner } from "../../src/domain/Agent.ts"
import { type CatalogueRow, compile } from "../../src/domain/ErrorCatalogue.ts"
import type { Failure } from "../../src/domain/Failure.ts"
import { type Job, jobId } from "../../src/domain/Job.ts"
import type { EventDraft } from "../../src/domain/LifecycleEvent.ts"
import { decide } from "../../src/domain/turn/decide.ts"
import { begin, type Change, type Draft } from "../../src/domain/turn/Draft.ts"
import type { Env } from "../../src/domain/turn/Env.ts"
import { refill } from "../../src/domain/turn/refill.ts"
import type { Signal } from "../../src/domain/turn/Signal.ts"
import type { WorkflowPolicy } from "../../src/domain/WorkflowPolicy.ts"
import { worldPolicy } from "../../src/model/world/worldPolicy.ts"

export const now = 1_000_000
export const self: Owner = { host: 1, epoch: 7 }
/** An epoch that is over. */
export const gone: Owner = { host: 2, epoch: 5 }

const decodePayload: WorkflowPolicy["decodePayload"] = (json) => {
  // JSON.parse answers any; what it may be is looked at below
  const payload: unknown = JSON.parse(json)
  return payload === "misfit"
    ? Result.fail({ path: '["path"]', detail: "is missing" })
    : Result.succeed(payload)
}

export const workflow = (name: string, plugins: Partial<WorkflowPolicy> = {}): WorkflowPolicy =>
  worldPolicy(name, {
    maxRetries: 2,
    restarts: { restarts: 2, windowMillis: 600_000 },
    decodePayload,
    ...plugins
  })

/** `plain` has no plugin at all, `full` one for each phase, and each of the others the one that its name says. */
export const workflows = new Map(
  [
    workflow("plain"),
    workflow("workspace", { workspace: true }),
    workflow("gates", { gates: true }),
    workflow("lander", { lander: true }),
    workflow("full", { workspace: true, gates: true, lander: true })
  ].map((policy) => [policy.name, policy])
)

/** Waits without jitter, so that they can be told: EXT_A waits 1 s, 2 s, 4 s. */
export const compiled = (rows: ReadonlyArray<CatalogueRow> = []) =>
  Effect.runPromise(compile([{ code: "EXT_*", jitter: 0 }, ...rows]))
const catalogue = await compiled()

export const env: Env = { now, seed: 42, owner: self, actor: "host:1", catalogue, workflows }

export const pending = (workflowType = "plain", patch: Partial<Job> = {}): Job => {
  const seq = patch.seq ?? 1
  return {
    seq,
    jobId: jobId("s", seq),
    version: 1,
    workflowType,
    idempotencyKey: `key-${seq}`,
    payloadFingerprint: "aa",
    state: "PENDING",
    priority: 0,
    runAt: 0,
    createdAt: 0,
    updatedAt: 0,
    retryCount: 0,
    maxRetries: 2,
    lastErrorCode: null,
    correlationId: jobId("s", seq),
    traceContext: null,
    replayOf: null,
    supersededBy: null,
    hold: null,
    agent: null,
    ...patch
  }
}

const agent: Agent = {
  state: "working",
  incarnation: 1,
  owner: self,
  standing: null,
  phase: "work",
  hung: false,
  restarts: [],
  steps: [],
  workspace: null,
  disposition: null
}

/** A job whose agent works on this host; `patch` changes the agent, `job` its row. */
export const working = (workflowType = "plain", patch: Partial<Agent> = {}, job: Partial<Job> = {}): Job =>
  pending(workflowType, {
    version: 2,
    state: "PROCESSING",
    updatedAt: now,
    agent: { ...agent, ...patch },
    ...job
  })

/** A job that waits for its retry. */
export const waiting = (workflowType = "plain", patch: Partial<Agent> = {}, job: Partial<Job> = {}): Job =>
  working(
    workflowType,
    { state: "abandoned", owner: null, standing: "waiting", phase: null, ...patch },
    { state: "RETRY_SCHEDULED", version: 3, retryCount: 1, ...job }
  )

export const failure = (code: string, patch: Partial<Failure> = {}): Failure => ({
  // the tests name codes that nobody has declared, too
  code: code as Failure["code"],
  message: `it failed with ${code}`,
  detail: null,
  retryAfterMillis: null,
  cause: null,
  ...patch
})

export const cancelWanted = (job: Job, intent = 9, text: string | null = null): Signal => ({
  _tag: "CancelWanted",
  job,
  reason: "operator",
  actor: "operator:ana",
  text,
  intent
})

/** One turn over the owned jobs: the signals, then the refill with the peeked jobs. */
export const turn = (
  owned: ReadonlyArray<Job>,
  signals: ReadonlyArray<Signal>,
  options: { readonly env?: Partial<Env>; readonly peek?: ReadonlyArray<Job>; readonly payload?: string } = {}
): Draft => {
  const draft = begin(new Map(owned.map((job) => [job.seq, job])))
  const own = { ...env, ...options.env }
  for (const signal of signals) decide(draft, signal, own)
  for (const job of options.peek ?? []) refill(draft, own, job, options.payload ?? '{"path":"a"}')
  return draft
}

/** The change of job number `seq`; a test that asks for one that isn't there is wrong. */
export const changed = (draft: Draft, seq = 1): Change => {
  const change = draft.changes.get(seq)
  if (change === undefined) throw new Error(`the turn doesn't change job ${seq}`)
  return change
}

/** The job after the turn, and its agent. */
export const left = (draft: Draft, seq = 1): { readonly job: Job; readonly agent: Agent } => {
  const { job } = changed(draft, seq)
  if (job.agent === null) throw new Error(`job ${seq} has no agent`)
  return { job, agent: job.agent }
}

const line = ({ errorCode, event, fromState, subjectKind, toState, transitionReason }: EventDraft): string =>
  `${subjectKind} ${fromState ?? "-"} ${event} ${toState ?? "-"} ${transitionReason}${errorCode === null ? "" : ` ${errorCode}`}`

/** The moves of a job and its agent in this turn, as `subject from event to reason code`. */
export const moves = (draft: Draft, seq = 1): ReadonlyArray<string> => changed(draft, seq).events.map(line)

export const commands = (draft: Draft): ReadonlyArray<string> =>
  draft.commands.map((command) => `${command._tag} ${"job" in command ? command.job.seq : command.seq}`)

/** Notes as `seq/incarnation event reason`. */
export const notes = (draft: Draft): ReadonlyArray<string> =>
  draft.notes.map(
    ({ event, incarnation, seq, transitionReason }) => `${seq}/${incarnation} ${event} ${transitionReason}`
  )
