/**
 * What the store tells of its jobs, followed by its events: the one thing that a scenario waits for.
 */
import { isOver, type JobState, type LifecycleEvent, type StoreService } from "@muster/core"
import { Effect } from "effect"
import { Broken } from "../Scenario.ts"

export interface JobStory {
  readonly jobId: string
  state: JobState
  /** Of the agent; null before it is dispatched. */
  agent: string | null
  readonly events: Array<LifecycleEvent>
}

export interface History {
  /** Every job that the store has told of, by id. */
  readonly jobs: ReadonlyMap<string, JobStory>
  readonly events: ReadonlyArray<LifecycleEvent>
}

/** Whether the job is over and its agent with it. */
export const isDone = ({ agent, state }: JobStory): boolean =>
  isOver(state) && (agent === null || agent === "tombstoned")

const pageSize = 1_000
const pause = "15 millis"

export const make = (store: StoreService) => {
  const jobs = new Map<string, JobStory>()
  const events: Array<LifecycleEvent> = []

  const take = (event: LifecycleEvent): void => {
    events.push(event)
    const { jobId, subjectKind, toState } = event
    if (jobId === null) return
    const story = jobs.get(jobId) ?? { jobId, state: "PENDING", agent: null, events: [] }
    jobs.set(jobId, story)
    story.events.push(event)
    if (toState === null) return
    // The chain of a job holds states of its table.
    if (subjectKind === "job") story.state = toState as JobState
    else if (subjectKind === "agent") story.agent = toState
  }

  /** Reads what is new. A store that is busy or full tells it the next time. */
  const look = Effect.gen(function* () {
    for (;;) {
      const after = events.at(-1)?.sequence ?? 0
      const page = yield* store.events({ job: null, after, limit: pageSize, order: "ascending" })
      for (const event of page) take(event)
      if (page.length < pageSize) return
    }
  }).pipe(Effect.ignore)

  const history: History = { jobs, events }

  /** Waits until the events say so. `what` completes the sentence "it never happened that …". */
  const waitUntil = (
    what: string,
    holds: (history: History) => boolean,
    millis = 30_000
  ): Effect.Effect<void, Broken> =>
    Effect.gen(function* () {
      for (;;) {
        yield* look
        if (holds(history)) return
        yield* Effect.sleep(pause)
      }
    }).pipe(
      Effect.timeoutOrElse({
        duration: millis,
        orElse: () => {
          const open = Array.from(jobs.values()).filter((story) => !isDone(story))
          const shown = open.slice(0, 3).map(({ agent, events: told, jobId, state }) => {
            const last = told.slice(-4).map(({ event, transitionReason }) => `${event} (${transitionReason})`)
            return `${jobId} ${state}/${agent ?? "-"}: ${last.join(", ")}`
          })
          const detail = `it never happened that ${what}, in ${millis / 1_000} s; open: ${open.length}${shown.length === 0 ? "" : `, as ${shown.join("; ")}`}`
          return Effect.fail(new Broken({ detail }))
        }
      })
    )

  return { history, look, waitUntil }
}
