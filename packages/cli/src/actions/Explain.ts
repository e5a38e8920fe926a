/**
 * `muster explain`: why a job or an agent stands as it does, what keeps it, what happens next, and what one can do; or what a code means.
 */
import { agentId, isCode, isOver, type Job, Store } from "@muster/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { lacks } from "../config/Configuration.ts"
import { configured } from "../config/Configured.ts"
import { configuredCatalogue } from "../config/ConfiguredCatalogue.ts"
import { adviceFor } from "../explain/Advice.ts"
import { blockersOf } from "../explain/Blockers.ts"
import { explainCode, sightingsOf } from "../explain/ExplainCode.ts"
import { agentSentences, jobSentences, openMoves } from "../explain/Sentences.ts"
import { liveHosts, orStore } from "../hosts/LiveHosts.ts"
import type { ExplainJson } from "../json/ExplainJson.ts"
import { answer, type Page } from "../output/Answer.ts"
import { outlook } from "../output/Outlook.ts"
import { paintState } from "../output/Style.ts"
import { oneLine, wrap } from "../output/Text.ts"
import * as StoreFile from "../store/StoreFile.ts"
import { read } from "../store/Story.ts"
import { surroundingsOf } from "../store/Surroundings.ts"

const paragraph = (title: string, sentences: ReadonlyArray<string>, page: Page): ReadonlyArray<string> =>
  sentences.length === 0
    ? []
    : [
        "",
        page.style.title(title),
        ...sentences.flatMap((sentence) =>
          wrap(oneLine(sentence), page.width - 4).map((line, index) => `  ${index === 0 ? "" : "  "}${line}`)
        )
      ]

/** Commands in one column, what each would do beside it. */
const commands = ({ can }: ExplainJson, page: Page): ReadonlyArray<string> => {
  const size = Math.max(...can.map(({ command }) => command.length))
  const room = Math.max(20, page.width - size - 4)
  return can.flatMap(({ command, effect }) =>
    wrap(effect, room).map((line, index) => `  ${(index === 0 ? command : "").padEnd(size)}  ${line}`)
  )
}

const lines = (found: ExplainJson, page: Page): ReadonlyArray<string> => {
  const state = found.state === null ? "" : `  ${paintState(page.style, found.state)}`
  return [
    `${page.style.title(`${found.subject} ${oneLine(found.id)}`)}${state}`,
    ...paragraph(found.subject === "code" ? "what it means" : "why", found.why, page),
    ...paragraph("what keeps it", found.waits_for, page),
    ...paragraph(found.subject === "code" ? "what to do" : "what happens next", [found.next], page),
    ...(found.can.length === 0 ? [] : ["", page.style.title("what you can do"), ...commands(found, page)])
  ]
}

/** An agent's id is `agent:` and its job's. */
const agentPrefix = "agent:"

/** Longer than a host may take to name its agents, in milliseconds. */
const patienceMillis = 1_000

/** What a job's living agent asks, as its host says: the store keeps no questions. */
const questionOf = Effect.fnUntraced(function* ({ agent, jobId, state }: Job) {
  const owner = agent?.owner ?? null
  if (state !== "PROCESSING" || owner === null) return null
  const host = (yield* liveHosts).find((one) => one.host === owner.host) ?? null
  const { answer: agents } = yield* orStore(
    host,
    (client) => client.Agents(),
    Effect.succeed([]),
    patienceMillis
  )
  return agents.find((one) => one.jobId === jobId)?.question ?? null
}, Effect.scoped)

const explainStory = Effect.fnUntraced(function* (id: string, subject: "job" | "agent") {
  const story = yield* read(id)
  const { events, job, letter, retries } = story
  const now = yield* Clock.currentTimeMillis
  const catalogue = yield* configuredCatalogue
  const surroundings = yield* surroundingsOf(story, now)
  const paused = surroundings.pausedBy.length > 0
  const hostBeats = surroundings.hosts.length > 0
  const question = yield* questionOf(job)
  const at = yield* configured
  const has =
    at === null || at.configuration.workflows.length === 0
      ? null
      : lacks(at.configuration, job.workflowType)
        ? "lacks"
        : "has"
  const beside = { paused, hostBeats, cancelRequested: story.cancelRequested }
  const waits = job.state === "PENDING" || job.state === "RETRY_SCHEDULED"
  const ofJob = [...jobSentences(job, events, retries, catalogue, now), openMoves(job)]
  const found: ExplainJson = {
    subject,
    id: subject === "agent" ? agentId(job.jobId) : job.jobId,
    state: subject === "agent" ? (job.agent?.state ?? null) : job.state,
    why: subject === "agent" ? [...agentSentences(job, events, now), ...ofJob.slice(0, 2)] : ofJob,
    waits_for: [
      ...(waits ? blockersOf(job, surroundings) : []),
      ...(question === null ? [] : [`Its agent waits for an answer: ${question}`])
    ],
    next: outlook(job, { ...beside, now, breaker: surroundings.breaker, heldUntil: surroundings.heldUntil }),
    can: adviceFor(job, {
      ...beside,
      configured: has,
      question,
      letter:
        letter === null || !isOver(job.state)
          ? null
          : { eligible: letter.replay_eligible === 1, discarded: letter.discarded_at !== null }
    })
  }
  yield* answer(found, (page) => lines(found, page))
})

/** Records of each kind that are looked at for a code. */
const looked = 10_000

const sightings = Effect.fnUntraced(function* (code: string) {
  const store = yield* Store
  const records = (kind: "letters" | "retries") => store.records({ kind, job: null, after: 0, limit: looked })
  return sightingsOf(code, yield* records("letters"), yield* records("retries"), looked)
})

const explainOf = Effect.fnUntraced(function* (code: string) {
  const catalogue = yield* configuredCatalogue
  const seen = yield* sightings(code).pipe(
    Effect.provide(StoreFile.layer("read")),
    // a code is explained without a store, too
    Effect.catchTag("ORCH_STORE_MISSING", () => Effect.succeed(null))
  )
  const found = explainCode(code, catalogue, seen)
  yield* answer(found, (page) => lines(found, page))
})

export const explain = Effect.fnUntraced(function* ({ subject }: { readonly subject: string }) {
  if (isCode(subject)) return yield* explainOf(subject)
  const isAgent = subject.startsWith(agentPrefix)
  const id = isAgent ? subject.slice(agentPrefix.length) : subject
  return yield* Effect.provide(explainStory(id, isAgent ? "agent" : "job"), StoreFile.layer("read"))
})
