/**
 * `muster dlq messages`: the messages between agents that nobody has taken, in the order in which they were found undeliverable.
 */
import { type MessageRow, Store, undeliverable } from "@muster/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { jobsForPeople, rowLimit } from "../input/Limit.ts"
import { messageJson } from "../json/MessageJson.ts"
import { answerAll, talk } from "../output/Answer.ts"
import { relative } from "../output/Duration.ts"
import { type Column, table } from "../output/Table.ts"
import { oneLine } from "../output/Text.ts"
import { eachPage } from "../store/Pages.ts"
import * as StoreFile from "../store/StoreFile.ts"

interface Input {
  readonly limit: Option.Option<number>
  readonly after: Option.Option<number>
}

interface Message {
  readonly cursor: number
  readonly row: MessageRow
}

const columns = (now: number): ReadonlyArray<Column<Message>> => [
  { title: "since", align: "right", value: ({ row }) => relative(row.at, now) },
  { title: "reason", value: ({ row }) => row.reason, paint: (style, _, text) => style.bad(text) },
  { title: "message", value: ({ row }) => oneLine(row.message_type), shrinkTo: 8 },
  { title: "from", value: ({ row }) => oneLine(row.producer_agent), shrinkTo: 10 },
  { title: "to", value: ({ row }) => oneLine(row.consumer_agent), shrinkTo: 10 }
]

/** What the reasons on a page mean, each once. */
const meanings = (messages: ReadonlyArray<Message>): ReadonlyArray<string> =>
  [...new Set(messages.map(({ row }) => row.reason))].flatMap((reason) => {
    const known = Object.entries(undeliverable).find(([name]) => name === reason)
    return known === undefined ? [] : [`${reason}: ${known[1]}`]
  })

const list = Effect.fnUntraced(function* (input: Input) {
  const limit = yield* rowLimit(input.limit, jobsForPeople)
  const after = Option.getOrElse(input.after, () => 0)
  const store = yield* Store
  const read = yield* eachPage(
    (from, size) => store.records({ kind: "messages", job: null, after: from, limit: size }),
    ({ cursor }) => cursor,
    { after, limit },
    (messages, isFirst) =>
      answerAll(
        messages.map(({ cursor, row }) => messageJson(cursor, row)),
        (page) =>
          messages.length === 0
            ? ["No undeliverable messages."]
            : [
                ...table(columns(page.now), messages, page).slice(isFirst ? 0 : 1),
                ...meanings(messages).map((line) => page.style.faint(line))
              ]
      )
  )
  if (read.cut) yield* talk(`Perhaps there are more: --after ${read.after}, or a larger --limit.`)
})

export const dlqMessages = (input: Input) => Effect.provide(list(input), StoreFile.layer("read"))
