/**
 * `muster dlq list`: the letters in the order of their arrival.
 */
import { type Job, type LetterRow, Store } from "@muster/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { JsonFlag } from "../GlobalFlags.ts"
import { jobsForPeople, rowLimit } from "../input/Limit.ts"
import { letterJson } from "../json/LetterJson.ts"
import { answerAll, talk } from "../output/Answer.ts"
import { relative } from "../output/Duration.ts"
import { type Column, table } from "../output/Table.ts"
import { eachPage } from "../store/Pages.ts"
import * as StoreFile from "../store/StoreFile.ts"
import { retriesOf } from "../store/Story.ts"

interface Input {
  readonly limit: Option.Option<number>
  readonly after: Option.Option<number>
  readonly discarded: boolean
}

interface Letter {
  readonly job: Job
  readonly row: LetterRow & { readonly replayed_by: number | null }
}

const columns = (now: number): ReadonlyArray<Column<Letter>> => [
  { title: "job", value: ({ job }) => job.jobId },
  { title: "workflow", value: ({ job }) => job.workflowType, shrinkTo: 8 },
  { title: "code", value: ({ row }) => row.failure_error_code, paint: (style, _, text) => style.bad(text) },
  { title: "since", align: "right", value: ({ row }) => relative(row.quarantined_at, now) },
  {
    title: "replay",
    value: ({ row }) =>
      row.replayed_by !== null
        ? `by ${row.replayed_by}`
        : row.discarded_at !== null
          ? "discarded"
          : row.replay_eligible === 0
            ? "no"
            : "yes"
  },
  { title: "what happened", value: ({ row }) => row.failure_summary, shrinkTo: 12 }
]

const print = Effect.fnUntraced(function* (letters: ReadonlyArray<Letter>, isFirst: boolean) {
  const store = yield* Store
  const documents = (yield* JsonFlag)
    ? yield* Effect.forEach(letters, ({ job, row }) =>
        Effect.map(retriesOf(job.seq), (retries) => letterJson(store.id, job, row, retries))
      )
    : []
  yield* answerAll(documents, (page) =>
    letters.length === 0
      ? ["No dead letters."]
      : table(columns(page.now), letters, page).slice(isFirst ? 0 : 1)
  )
})

const list = Effect.fnUntraced(function* (input: Input) {
  const limit = yield* rowLimit(input.limit, jobsForPeople)
  const after = Option.getOrElse(input.after, () => 0)
  const store = yield* Store
  const read = yield* eachPage(
    (from, size) =>
      store.records({ kind: "letters", job: null, after: from, limit: size, open: !input.discarded }),
    ({ cursor }) => cursor,
    { after, limit },
    Effect.fnUntraced(function* (records, isFirst) {
      const jobs = yield* store.jobs({ by: "seq", seqs: records.map(({ job }) => job), bodies: false })
      const bySeq = new Map(jobs.map(({ job }) => [job.seq, job]))
      const letters = records.flatMap(({ job: seq, row }) => {
        const job = bySeq.get(seq)
        return job === undefined ? [] : [{ job, row }]
      })
      yield* print(letters, isFirst)
    })
  )
  if (read.cut) yield* talk(`Perhaps there are more: --after ${read.after}, or a larger --limit.`)
})

export const dlqList = (input: Input) => Effect.provide(list(input), StoreFile.layer("read"))
