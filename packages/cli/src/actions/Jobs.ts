/**
 * `muster jobs`: the jobs of the store in order of arrival, page by page.
 */
import { envelope, type Job, JobMachine, type JobState, Store } from "@muster/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { jobsForPeople, rowLimit } from "../input/Limit.ts"
import { answerAll, talk } from "../output/Answer.ts"
import { relative } from "../output/Duration.ts"
import { paintState } from "../output/Style.ts"
import { type Column, table } from "../output/Table.ts"
import { eachPage } from "../store/Pages.ts"
import * as StoreFile from "../store/StoreFile.ts"
import { UsageError } from "../UsageError.ts"

interface Input {
  readonly state: Option.Option<string>
  readonly workflow: Option.Option<string>
  readonly limit: Option.Option<number>
  readonly after: Option.Option<number>
}

const readState = Effect.fnUntraced(function* (asked: Option.Option<string>) {
  if (Option.isNone(asked)) return null
  const wanted = asked.value.toUpperCase()
  const state: JobState | undefined = JobMachine.states.find((name) => name === wanted)
  if (state !== undefined) return state
  return yield* new UsageError({
    message: `There is no job state "${asked.value}".`,
    hint: `One of ${JobMachine.states.join(", ")}.`
  })
})

const columns = (now: number): ReadonlyArray<Column<Job>> => [
  { title: "job", value: ({ jobId }) => jobId },
  { title: "workflow", value: ({ workflowType }) => workflowType, shrinkTo: 8 },
  {
    title: "state",
    value: ({ state }) => state,
    paint: (style, { state }, text) => paintState(style, state, text)
  },
  { title: "tries", align: "right", value: ({ agent }) => String(agent?.incarnation ?? 0) },
  { title: "prio", align: "right", value: ({ priority }) => String(priority) },
  {
    title: "moved",
    align: "right",
    value: ({ runAt, state, updatedAt }) =>
      (state === "PENDING" || state === "RETRY_SCHEDULED") && runAt > now
        ? `due ${relative(runAt, now)}`
        : relative(updatedAt, now)
  },
  { title: "last code", value: ({ lastErrorCode }) => lastErrorCode ?? "", shrinkTo: 9 }
]

const list = Effect.fnUntraced(function* (input: Input, state: JobState | null) {
  const limit = yield* rowLimit(input.limit, jobsForPeople)
  const after = Option.getOrElse(input.after, () => 0)
  const store = yield* Store
  const workflow = Option.getOrNull(input.workflow)
  const read = yield* eachPage(
    (from, size) => store.jobs({ by: "page", state, workflow, after: from, limit: size }),
    ({ job }) => job.seq,
    { after, limit },
    (rows, isFirst) =>
      answerAll(
        rows.map(({ job }) => envelope(job)),
        (page) =>
          rows.length === 0
            ? ["No such jobs."]
            : table(
                columns(page.now),
                rows.map(({ job }) => job),
                page
              ).slice(isFirst ? 0 : 1)
      )
  )
  if (read.cut) yield* talk(`Perhaps there are more: --after ${read.after}, or a larger --limit.`)
})

export const jobs = Effect.fnUntraced(function* (input: Input) {
  const state = yield* readState(input.state)
  yield* Effect.provide(list(input, state), StoreFile.layer("read"))
})
