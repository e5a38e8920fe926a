// The oracle of every fleet test: each event is an edge of its table with a reason of its vocabulary, the chains have no gap, and the
// rows stand where their chains end.
import { assert } from "@effect/vitest"
import {
  AgentMachine,
  holdsSlot,
  isOver,
  type Job,
  JobMachine,
  type LifecycleEvent,
  type StoreService
} from "@muster/core"
import { Effect } from "effect"

const page = 10_000

const tables = { job: JobMachine, agent: AgentMachine }

const isKnown = ({ event, fromState, subjectKind, toState, transitionReason }: LifecycleEvent): boolean => {
  if (subjectKind === "host") return false
  const { creation, edges, initial } = tables[subjectKind]
  if (fromState === null)
    return event === creation.event && toState === initial && creation.reasons.includes(transitionReason)
  return edges.some(
    (edge) =>
      edge.from === fromState &&
      edge.event === event &&
      edge.to === toState &&
      edge.reasons.some((reason) => reason === transitionReason)
  )
}

const checkChain = (name: string, chain: ReadonlyArray<LifecycleEvent>, end: string | undefined): void => {
  let state: string | null = null
  let at = 0
  for (const event of chain) {
    assert.isTrue(isKnown(event), `${name}: ${JSON.stringify(event)} is no edge of the table`)
    assert.strictEqual(event.fromState, state, `${name} has a gap before ${event.event} (${event.sequence})`)
    assert.isAtLeast(event.occurredAt, at, `${name}: time goes back at ${event.event}`)
    assert.isNotEmpty(event.actor)
    state = event.toState
    at = event.occurredAt
  }
  assert.strictEqual(end ?? null, state, `the row of ${name} stands elsewhere than its chain`)
}

/** R1, and what follows from the design for a row at rest. */
const checkRow = (job: Job): void => {
  const name = job.jobId
  const agent = job.agent
  assert.notStrictEqual(job.state, "VALIDATING", `${name} rests in VALIDATING`)
  const alive = agent?.state === "dispatched" || agent?.state === "working"
  assert.strictEqual(job.state === "PROCESSING", alive, `${name} is ${job.state}, its agent ${agent?.state}`)
  if (agent === null) return
  assert.strictEqual(agent.standing !== null, agent.state === "abandoned", `${name}: standing`)
  if (agent.state === "tombstoned") {
    assert.isNull(agent.owner, `${name}: a tombstone has no owner`)
    assert.isNotNull(agent.disposition)
    assert.isTrue(isOver(job.state))
  }
  if (agent.standing === "waiting") assert.isFalse(holdsSlot(agent))
}

/** All events of the store, or of one job. */
export const eventsOf = (store: StoreService, job: Job | null = null) =>
  store.events({ job: job?.seq ?? null, after: 0, limit: page, order: "ascending" })

/** The moves of one subject, as `event:reason`. */
export const moves = (
  events: ReadonlyArray<LifecycleEvent>,
  subject: "job" | "agent"
): ReadonlyArray<string> =>
  events.flatMap(({ event, subjectKind, toState, transitionReason }) =>
    subjectKind === subject && toState !== null ? [`${event}:${transitionReason}`] : []
  )

/** The notes: what stands outside the chains. */
export const notes = (events: ReadonlyArray<LifecycleEvent>): ReadonlyArray<LifecycleEvent> =>
  events.filter(({ toState }) => toState === null)

/** Holds everything in the store to the tables. */
export const checkStore = Effect.fnUntraced(function* (store: StoreService) {
  const events = yield* eventsOf(store)
  const jobs = yield* store.jobs({ by: "page", state: null, workflow: null, after: 0, limit: page })
  // The events of jobs that were forgotten are gone with them.
  if (jobs.every(({ job }, index) => job.seq === index + 1))
    events.forEach(({ sequence }, index) => assert.strictEqual(sequence, index + 1, "a sequence is missing"))
  for (const { job } of jobs) {
    const mine = events.filter(({ jobId, toState }) => jobId === job.jobId && toState !== null)
    checkChain(
      `job ${job.jobId}`,
      mine.filter(({ subjectKind }) => subjectKind === "job"),
      job.state
    )
    checkChain(
      `agent of ${job.jobId}`,
      mine.filter(({ subjectKind }) => subjectKind === "agent"),
      job.agent?.state
    )
    checkRow(job)
  }
})
