/**
 * `muster cancel`: a host that answers cancels the job at once. Where none does, a waiting job is cancelled here, and a working one by its
 * host, which is asked by a row of intent (R24, R26).
 */
import {
  defaults,
  cancel as decideCancel,
  CancelTooLate,
  Draft,
  exit,
  type IntentRow,
  isOver,
  type Job,
  Store
} from "@muster/core"
import type { ControlClient } from "@muster/fleet/control"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { configuredCatalogue } from "../config/ConfiguredCatalogue.ts"
import { Ended } from "../Ended.ts"
import { anyHost, orStore } from "../hosts/LiveHosts.ts"
import type { CancelJson } from "../json/CancelJson.ts"
import { operator } from "../Operator.ts"
import { answer, talk } from "../output/Answer.ts"
import { paintState } from "../output/Style.ts"
import { newRunId } from "../run/RunId.ts"
import { awaitChange } from "../store/Changes.ts"
import { isBeating, openHosts } from "../store/Hosts.ts"
import * as StoreFile from "../store/StoreFile.ts"
import { reasonOf } from "./HostWish.ts"

interface Input {
  readonly job: string
  readonly reason: Option.Option<string>
  readonly wait: number
  readonly requestId: Option.Option<string>
}

export interface CancelWish {
  readonly actor: string
  /** Null: nothing said. */
  readonly text: string | null
  readonly requestId: string | null
}

/** Whether it can be cancelled here: nobody owns it, and it is known not to have landed (R27). */
export const isUnowned = ({ agent }: Job): boolean =>
  agent === null || (agent.owner === null && agent.standing !== "landing_unknown")

const read = Effect.fnUntraced(function* (id: string) {
  const store = yield* Store
  return (yield* store.job(id)).job
})

/** Cancels a job that nobody owns; false when a host has taken it in this moment. */
export const cancelHere = Effect.fnUntraced(function* (job: Job, wish: CancelWish) {
  const store = yield* Store
  const now = yield* Clock.currentTimeMillis
  const draft = Draft.begin(new Map())
  const env = {
    now,
    seed: 0,
    owner: null,
    actor: wish.actor,
    catalogue: yield* configuredCatalogue,
    workflows: new Map<string, never>()
  }
  const outcome = decideCancel(draft, env, job, {
    reason: "operator",
    actor: wish.actor,
    intent: null,
    text: wish.text
  })
  if (outcome === "too_late") return yield* new CancelTooLate({ jobId: job.jobId, state: job.state })
  if (Draft.isEmpty(draft)) return true
  const { lost } = yield* store.commit({ fence: null, at: now, changes: draft.changes.values() })
  return !lost.has(job.seq)
})

/** Records the wish for the job's host. */
export const ask = Effect.fnUntraced(function* (job: Job, wish: CancelWish) {
  const store = yield* Store
  const now = yield* Clock.currentTimeMillis
  const { intents } = yield* store.commit({
    fence: null,
    at: now,
    intents: [
      {
        kind: "cancel",
        job: job.seq,
        host: null,
        value: null,
        // the store refuses an empty reason
        reason: wish.text ?? "operator",
        actor: wish.actor,
        requested_at: now,
        request_id: wish.requestId
      }
    ]
  })
  const [intent] = intents
  return intent === undefined
    ? yield* Effect.die(new Error("the store answered an intent with nothing"))
    : intent
})

const readIntent = Effect.fnUntraced(function* (job: Job, intent: number) {
  const store = yield* Store
  const [record] = yield* store.records({ kind: "intents", job: job.seq, after: intent - 1, limit: 1 })
  return record?.row
})

/** A landing that has begun ends the job; the wish stays in force, for the case that it fails (R26). */
const isTooLate = (job: Job, intent: IntentRow | undefined): boolean =>
  (isOver(job.state) && job.state !== "CANCELLED") ||
  job.agent?.phase === "land" ||
  intent?.outcome === "too_late"

/** What the store says of the wish by now; null: nothing yet. */
const look = Effect.fnUntraced(function* (asked: Job, intent: number) {
  const job = yield* read(asked.jobId)
  if (job.state === "CANCELLED") return job
  return isTooLate(job, yield* readIntent(job, intent))
    ? yield* new CancelTooLate({ jobId: job.jobId, state: job.state })
    : null
})

/** Waits until the store says what came of the wish. */
const settled = Effect.fnUntraced(function* (asked: Job, intent: number) {
  const store = yield* Store
  for (;;) {
    const token = yield* store.changed
    const job = yield* look(asked, intent)
    if (job !== null) return job
    yield* awaitChange(token)
  }
})

/** Null: no host has answered in time, or none is there to answer. */
const outcomeOf = Effect.fnUntraced(function* (job: Job, intent: number, waitMillis: number) {
  const now = yield* Clock.currentTimeMillis
  const isServed = (yield* openHosts).some((host) => isBeating(host, now))
  return isServed
    ? Option.getOrNull(yield* Effect.timeoutOption(settled(job, intent), waitMillis))
    : yield* look(job, intent)
})

const finish = (document: CancelJson) =>
  answer(document, ({ style }) => [
    `${document.job_id}  ${paintState(style, document.current_state)}${document.outcome === "requested" ? "  cancel requested" : ""}`
  ])

const unanswered = Effect.fnUntraced(function* (id: string) {
  yield* talk(`No host has answered yet. The cancel is recorded and stays in force: muster show ${id}`)
  return yield* new Ended({ exitCode: exit.retryLater })
})

type Outcome = Omit<CancelJson, "source">

/** The store's own way: what nobody owns is cancelled here, and the wish for the rest is recorded. */
const byStore = Effect.fnUntraced(function* (input: Input, wish: CancelWish) {
  for (;;) {
    const job = yield* read(input.job)
    if (isOver(job.state) && job.state !== "CANCELLED") {
      return yield* new CancelTooLate({ jobId: job.jobId, state: job.state })
    }
    if (job.state === "CANCELLED" || isUnowned(job)) {
      // a host that has just won it is asked in the next round
      if (!(yield* cancelHere(job, wish))) continue
      const { state } = yield* read(job.jobId)
      const cancelled: Outcome = {
        job_id: job.jobId,
        current_state: state,
        outcome: "cancelled",
        intent: null
      }
      return cancelled
    }
    const intent = yield* ask(job, wish)
    const ended = yield* outcomeOf(job, intent, input.wait * 1_000)
    const { state } = ended ?? (yield* read(job.jobId))
    const asked: Outcome = {
      job_id: job.jobId,
      current_state: state,
      outcome: ended === null ? "requested" : "cancelled",
      intent
    }
    return asked
  }
})

const byHost = (client: ControlClient.ControlClient, input: Input, wish: CancelWish) =>
  client
    .Cancel({
      jobId: input.job,
      waitMillis: input.wait * 1_000,
      actor: wish.actor,
      ...(wish.text === null ? {} : { reason: wish.text }),
      ...(wish.requestId === null ? {} : { requestId: wish.requestId })
    })
    .pipe(
      Effect.map(({ intent, jobId, outcome, state }): Outcome => ({
        job_id: jobId,
        current_state: state,
        outcome,
        intent
      }))
    )

const cancelNow = Effect.fnUntraced(function* (input: Input, given: CancelWish) {
  const host = yield* anyHost(null)
  // So that a wish which reaches a dying host and then the store counts once.
  const wish = host === null || given.requestId !== null ? given : { ...given, requestId: yield* newRunId }
  const { answer: outcome, source } = yield* orStore(
    host,
    (client) => byHost(client, input, wish),
    byStore(input, wish),
    input.wait * 1_000 + defaults.busy.commandMillis
  )
  yield* finish({ ...outcome, source })
  return yield* outcome.outcome === "requested" ? unanswered(outcome.job_id) : Effect.void
}, Effect.scoped)

export const cancel = Effect.fnUntraced(function* (input: Input) {
  const wish: CancelWish = {
    actor: yield* operator,
    text: reasonOf(input.reason),
    requestId: Option.getOrNull(input.requestId)
  }
  yield* Effect.provide(cancelNow(input, wish), StoreFile.layer("existing"))
})
