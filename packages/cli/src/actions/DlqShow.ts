/**
 * `muster dlq show`: one letter with its story and what to do about it.
 */
import { isoInstant, JobNotFound, Store } from "@muster/core"
import * as Effect from "effect/Effect"
import { configuredCatalogue } from "../config/ConfiguredCatalogue.ts"
import { chainJson } from "../json/ChainJson.ts"
import { letterJson } from "../json/LetterJson.ts"
import { parsed } from "../json/Parsed.ts"
import { answer, type Page } from "../output/Answer.ts"
import { body } from "../output/Body.ts"
import { chainLines } from "../output/ChainTable.ts"
import { relative } from "../output/Duration.ts"
import { replayLine } from "../output/ReplayLine.ts"
import { retryColumns } from "../output/RetryTable.ts"
import { facts, table } from "../output/Table.ts"
import { oneLine, wrap } from "../output/Text.ts"
import * as StoreFile from "../store/StoreFile.ts"
import { read, type Story } from "../store/Story.ts"

const indented = (texts: ReadonlyArray<string>): ReadonlyArray<string> => texts.map((text) => `  ${text}`)

type Letter = NonNullable<Story["letter"]>

const lines = (story: Story, letter: Letter, hint: string, page: Page): ReadonlyArray<string> => {
  const { job, payload, retries } = story
  const inner = { ...page, width: page.width - 2 }
  return [
    ...facts(
      [
        ["job", page.style.title(job.jobId)],
        ["workflow", oneLine(job.workflowType)],
        ["code", page.style.bad(letter.failure_error_code)],
        ["state before", letter.final_state],
        ["since", `${isoInstant(letter.quarantined_at)} (${relative(letter.quarantined_at, page.now)})`],
        ["replay", replayLine(letter)]
      ],
      page
    ),
    "",
    page.style.title("what happened"),
    ...indented(wrap(oneLine(letter.failure_summary), inner.width)),
    "",
    page.style.title("what to do"),
    ...indented(wrap(hint, inner.width)),
    ...(retries.length === 0
      ? []
      : ["", page.style.title("tries before"), ...indented(table(retryColumns(page.now), retries, inner))]),
    ...(story.chain.length < 2
      ? []
      : ["", page.style.title("replays"), ...indented(chainLines(job, story.chain, inner))]),
    ...(payload === null ? [] : ["", page.style.title("payload"), ...indented(body(payload, inner.width))]),
    "",
    page.style.faint(`Its events: muster events --job ${job.seq}`)
  ]
}

const tell = Effect.fnUntraced(function* (id: string) {
  const store = yield* Store
  const story = yield* read(id)
  const { job, letter, retries } = story
  // a job without a letter is not in the queue
  if (letter === null) return yield* new JobNotFound({ jobId: `${id} among the dead letters` })
  const catalogue = yield* configuredCatalogue
  const { hint } = catalogue.lookup(letter.failure_error_code).policy
  const document = {
    ...letterJson(store.id, job, letter, retries),
    workflow_type: job.workflowType,
    payload: parsed(story.payload),
    chain: chainJson(story.chain),
    raw: parsed(letter.raw)
  }
  return yield* answer(document, (page) => lines(story, letter, hint, page))
})

export const dlqShow = ({ job }: { readonly job: string }) =>
  Effect.provide(tell(job), StoreFile.layer("read"))
