/**
 * What callers and operators do to the store, with no host between: they hand jobs in, once or twice, replay them, and say what they want of
 * the hosts. They write under no epoch, and what somebody owns they leave alone.
 */
import { Result } from "effect"
import * as Intent from "../../domain/Intent.ts"
import { type Job, jobId } from "../../domain/Job.ts"
import { isOver, JobMachine } from "../../domain/JobMachine.ts"
import type { EventDraft } from "../../domain/LifecycleEvent.ts"
import type { Operator, ReplayJob } from "../../domain/Replay.ts"
import { mayWrite, write } from "./Commit.ts"
import { alarm, behaviourOf, type Host, type Stored, type World, withHost, withStored } from "./World.ts"

interface Draft {
  readonly workflowType: string
  readonly idempotencyKey: string
  readonly payload: string
  readonly priority: number
  readonly maxRetries: number
  readonly runAt: number
  /** The job that it replays; null for none. */
  readonly replayOf: number | null
  readonly notes: ReadonlyArray<EventDraft>
}

/** The job that holds the key: the newest of its chain of replays (R17). */
const holderOf = (world: World, draft: Draft): Stored | undefined =>
  Array.from(world.jobs.values()).find(
    ({ job, supersededBy }) =>
      job.workflowType === draft.workflowType &&
      job.idempotencyKey === draft.idempotencyKey &&
      supersededBy === null
  )

const stored = (world: World, seq: number, draft: Draft): Stored => {
  const { now } = world
  const { notes, payload, ...rest } = draft
  const job: Job = {
    seq,
    jobId: jobId("w", seq),
    version: 1,
    payloadFingerprint: "",
    state: JobMachine.initial,
    createdAt: now,
    updatedAt: now,
    retryCount: 0,
    lastErrorCode: null,
    correlationId: jobId("w", seq),
    traceContext: null,
    supersededBy: null,
    hold: null,
    agent: null,
    ...rest
  }
  const creation: EventDraft = {
    subjectKind: "job",
    event: JobMachine.creation.event,
    fromState: null,
    toState: job.state,
    transitionReason: draft.replayOf === null ? "submitted" : "replayed",
    errorCode: null,
    actor: "caller:world",
    occurredAt: now,
    incarnation: 0,
    detail: null
  }
  return {
    job,
    payload,
    events: [creation, ...notes],
    retries: [],
    markers: new Map(),
    letter: null,
    supersededBy: null,
    result: null,
    writes: 1,
    landings: 0,
    passes: new Set(),
    places: new Set(),
    workedIn: null,
    turnedDown: new Set(),
    token: 0,
    payments: 0,
    renewed: []
  }
}

const next = (world: World): number => Math.max(0, ...world.jobs.keys()) + 1

/** Inserts the job, unless another one holds its key. What it replays is superseded in the same unit. */
const insert = (world: World, draft: Draft): World => {
  const holder = holderOf(world, draft)
  if (holder !== undefined && behaviourOf(world).refusesKey(holder.job.seq, draft.replayOf)) return world
  const seq = next(world)
  const former = draft.replayOf === null ? undefined : world.jobs.get(draft.replayOf)
  const superseded = former === undefined ? world : withStored(world, { ...former, supersededBy: seq })
  const inserted = withStored(superseded, stored(world, seq, draft))
  if (former !== undefined && former.supersededBy !== null)
    return alarm(inserted, "replayed-twice", `job ${former.job.seq} is replayed twice (R31)`)
  return holder !== undefined && holder.job.seq !== draft.replayOf && !isOver(holder.job.state)
    ? alarm(inserted, "key-shared", `the key of job ${holder.job.seq}, which goes on, has another job (R17)`)
    : inserted
}

/** A job in PENDING, with the event of its creation. */
export const submit = (
  world: World,
  draft: Pick<Draft, "workflowType" | "payload" | "priority" | "maxRetries" | "runAt">
): World => insert(world, { ...draft, idempotencyKey: `key-${next(world)}`, replayOf: null, notes: [] })

/** The caller of a job hands it in once more, under the same key. */
export const submitAgain = (world: World, seq: number): World => {
  const { job, payload } = world.jobs.get(seq) ?? {}
  if (job === undefined || payload === undefined) return world
  const { idempotencyKey, maxRetries, priority, workflowType } = job
  return insert(world, {
    workflowType,
    idempotencyKey,
    payload,
    priority,
    maxRetries,
    runAt: world.now,
    replayOf: null,
    notes: []
  })
}

const by = (world: World): Operator => ({ actor: "operator:world", text: null, at: world.now })

/** What a replay of the job would be, as an operator reads it; null where it may not be, or was already. */
const replayOf = (world: World, seq: number): { readonly source: Stored; readonly job: ReplayJob } | null => {
  const source = world.jobs.get(seq)
  if (source === undefined || source.supersededBy !== null) return null
  const decided = behaviourOf(world).replay(source, by(world))
  return Result.isFailure(decided) ? null : { source, job: decided.success }
}

/** Whether an operator may replay the job as it stands. */
export const mayReplay = (world: World, seq: number): boolean => replayOf(world, seq) !== null

/** So many operators read the job, and then each of them replays it. */
export const replay = (world: World, seq: number, operators: 1 | 2): World => {
  const decided = replayOf(world, seq)
  if (decided === null) return world
  const note = behaviourOf(world).replayedNote(decided.source.job, by(world))
  let after = world
  for (let turn = 0; turn < operators; turn++) {
    if (note !== null && !mayWrite(after, note, null)) continue
    after = insert(note === null ? after : write(after, note), decided.job)
  }
  return after
}

/** Somebody wants the job cancelled. */
export const cancel = (world: World, job: number): World => ({
  ...world,
  cancels: [...world.cancels, { job, outcome: null }]
})

/** Somebody wants all hosts held, or going again. */
export const wish = (world: World, kind: "pause" | "resume"): World => {
  const intent = Math.max(0, ...world.intents.map((other) => other.intent)) + 1
  return { ...world, intents: [...world.intents, { intent, kind, host: null, value: null }] }
}

/** A host looks at what operators want of it, and settles what has come to its end. */
export const lookAtIntents = (world: World, host: Host): World => {
  const live = new Set(world.hosts.flatMap(({ host: number, living }) => (living ? [number] : [])))
  const ended = new Set(Intent.settlements(world.intents, { live, busy: live }).map(({ intent }) => intent))
  const held = withHost(world, { ...host, control: Intent.controlOf(world.intents, host.host) })
  return { ...held, intents: world.intents.filter(({ intent }) => !ended.has(intent)) }
}
