/**
 * `muster show`: one job's whole story on a page.
 */
import { eventJson, Intent, isoInstant, Store } from "@muster/core"
import { Operations } from "@muster/fleet"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { chainJson } from "../json/ChainJson.ts"
import { jobJson } from "../json/JobJson.ts"
import { letterJson } from "../json/LetterJson.ts"
import { markerJson } from "../json/MarkerJson.ts"
import { retryJson } from "../json/RetryJson.ts"
import { answer, type Page } from "../output/Answer.ts"
import { body } from "../output/Body.ts"
import { chainLines } from "../output/ChainTable.ts"
import { relative } from "../output/Duration.ts"
import { storyColumns } from "../output/EventTable.ts"
import { outlook } from "../output/Outlook.ts"
import { replayLine } from "../output/ReplayLine.ts"
import { retryColumns } from "../output/RetryTable.ts"
import { stepColumns, stepsOf } from "../output/StepTable.ts"
import { paintState } from "../output/Style.ts"
import { facts, table } from "../output/Table.ts"
import { oneLine, wrap } from "../output/Text.ts"
import { isBeating, openHosts } from "../store/Hosts.ts"
import * as StoreFile from "../store/StoreFile.ts"
import { read, type Story, storyEvents } from "../store/Story.ts"
import { breakerOf, heldUntilOf } from "../store/Surroundings.ts"

const agentLine = ({ job }: Story): string => {
  const { agent } = job
  if (agent === null) return "none yet"
  return [
    agent.state,
    `life ${agent.incarnation}`,
    ...(agent.phase === null ? [] : [`phase ${agent.phase}`]),
    ...(agent.owner === null ? [] : [`host ${agent.owner.host}`]),
    ...(agent.standing === null ? [] : [agent.standing]),
    ...(agent.hung ? ["hung"] : []),
    ...(agent.disposition === null ? [] : [agent.disposition]),
    ...(agent.workspace === null ? [] : [oneLine(agent.workspace)])
  ].join(", ")
}

const envelopeLines = (story: Story, page: Page): ReadonlyArray<string> => {
  const { job } = story
  const own = job.correlationId === job.jobId
  return facts(
    [
      ["job", page.style.title(job.jobId)],
      ["state", paintState(page.style, job.state)],
      ["workflow", oneLine(job.workflowType)],
      ["key", oneLine(job.idempotencyKey)],
      ...(own ? [] : [["correlation", oneLine(job.correlationId)] as const]),
      ...(job.replayOf === null ? [] : [["replay of", String(job.replayOf)] as const]),
      ...(job.supersededBy === null ? [] : [["replayed by", String(job.supersededBy)] as const]),
      ["priority", String(job.priority)],
      ["retries", `${job.retryCount} of ${job.maxRetries}`],
      ...(job.lastErrorCode === null ? [] : [["last code", job.lastErrorCode] as const]),
      ["created", `${isoInstant(job.createdAt)} (${relative(job.createdAt, page.now)})`],
      ["moved", `${isoInstant(job.updatedAt)} (${relative(job.updatedAt, page.now)})`],
      ...(job.runAt > page.now
        ? [
            [
              heldUntilOf(story, page.now) === null ? "due" : "held until",
              `${isoInstant(job.runAt)} (${relative(job.runAt, page.now)})`
            ] as const
          ]
        : []),
      ["agent", agentLine(story)]
    ],
    page
  )
}

const section = (title: string, lines: ReadonlyArray<string>, page: Page): ReadonlyArray<string> =>
  lines.length === 0 ? [] : ["", page.style.title(title), ...lines.map((line) => `  ${line}`)]

const lines = (story: Story, next: string, given: Page): ReadonlyArray<string> => {
  const inner = { ...given, width: given.width - 2 }
  const { events, letter, payload, result, retries } = story
  const steps = stepsOf(story.markers)
  const letterLines =
    letter === null
      ? []
      : [
          ...wrap(oneLine(`${letter.failure_error_code}: ${letter.failure_summary}`), inner.width),
          replayLine(letter)
        ]
  return [
    ...envelopeLines(story, given),
    ...section("payload", payload === null ? [] : body(payload, inner.width), given),
    ...section("result", result === null ? [] : body(result, inner.width), given),
    ...section("retries", retries.length === 0 ? [] : table(retryColumns(given.now), retries, inner), given),
    ...section("steps", steps.length === 0 ? [] : table(stepColumns(given.now), steps, inner), given),
    ...section("dead letter", letterLines, given),
    ...section("replays", chainLines(story.job, story.chain, inner), given),
    ...section(
      events.length === storyEvents ? `events (the newest ${storyEvents})` : "events",
      table(storyColumns(events[0]?.occurredAt ?? 0), events, inner),
      given
    ),
    ...section("next", wrap(next, inner.width), given)
  ]
}

const tell = Effect.fnUntraced(function* (id: string) {
  const store = yield* Store
  const story = yield* read(id)
  const now = yield* Clock.currentTimeMillis
  const hosts = yield* openHosts
  const breaker = yield* breakerOf(story)
  const heldUntil = heldUntilOf(story, now)
  const next = outlook(story.job, {
    breaker,
    heldUntil,
    now,
    cancelRequested: story.cancelRequested,
    hostBeats: hosts.some((host) => isBeating(host, now)),
    paused: Intent.pausesOf(yield* Operations.openIntents(store)).length > 0
  })
  const document = jobJson(store.id, story, {
    chain: chainJson(story.chain),
    breaker,
    held_until: heldUntil === null ? null : isoInstant(heldUntil),
    retries: story.retries.map(retryJson),
    markers: story.markers.map(markerJson),
    dead_letter: story.letter === null ? null : letterJson(store.id, story.job, story.letter, story.retries),
    cancel_requested: story.cancelRequested,
    next,
    events: story.events.map(eventJson)
  })
  yield* answer(document, (page) => lines(story, next, page))
})

export const show = ({ job }: { readonly job: string }) => Effect.provide(tell(job), StoreFile.layer("read"))
