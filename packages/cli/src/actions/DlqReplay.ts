/**
 * `muster dlq replay`: quarantined, failed and cancelled jobs as new ones, each once (R31).
 */
import { exit, type LetterRow, Store } from "@muster/core"
import { Replays } from "@muster/fleet"
import type { ControlClient } from "@muster/fleet/control"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Ended } from "../Ended.ts"
import { anyHost, orStore } from "../hosts/LiveHosts.ts"
import type { ReplayJson } from "../json/ReplayJson.ts"
import { operator } from "../Operator.ts"
import { answerAll, talk } from "../output/Answer.ts"
import type { Style } from "../output/Style.ts"
import { eachPage } from "../store/Pages.ts"
import * as StoreFile from "../store/StoreFile.ts"
import { UsageError } from "../UsageError.ts"
import { reasonOf } from "./HostWish.ts"

interface Input {
  readonly jobs: ReadonlyArray<string>
  readonly all: boolean
  readonly code: Option.Option<string>
  readonly workflow: Option.Option<string>
  readonly dryRun: boolean
  readonly fresh: boolean
  readonly reason: Option.Option<string>
}

/** A replay waits for an agent that is told to end: so long, and for the store. In milliseconds. */
const patienceMillis = 20_000

const nothing = { replayed_by: null, code: null, message: null }

/** Does it, or looks whether it could be done. */
const replaying = Effect.fnUntraced(function* (
  id: string,
  input: Input,
  host: ControlClient.LiveHost | null
) {
  const wish = { actor: yield* operator, reason: reasonOf(input.reason) }
  if (input.dryRun) {
    const { replayedBy, replayOf } = yield* Replays.rehearse(id, wish)
    const rehearsed: ReplayJson =
      replayedBy === null
        ? { ...nothing, job_id: replayOf, outcome: "would_replay" }
        : { ...nothing, job_id: replayOf, outcome: "already_replayed", replayed_by: replayedBy }
    return rehearsed
  }
  const { actor, reason } = wish
  const { fresh } = input
  // Once, whoever does it: a second one answers with the first one's job.
  const replay = yield* orStore(
    host,
    (client) => client.Replay({ jobId: id, fresh, actor, ...(reason === null ? {} : { reason }) }),
    Replays.replay(id, wish, { fresh }),
    patienceMillis
  )
  const { duplicate, jobId, replayOf } = replay.answer
  const outcome = duplicate ? "already_replayed" : "replayed"
  const replayed: ReplayJson = { ...nothing, job_id: replayOf, outcome, replayed_by: jobId }
  return replayed
})

const line = (style: Style, { code, job_id, message, outcome, replayed_by }: ReplayJson): string => {
  switch (outcome) {
    case "replayed":
      return `${job_id}  ${style.good("replayed")} as ${replayed_by}`
    case "already_replayed":
      return `${job_id}  was replayed before, as ${replayed_by}`
    case "would_replay":
      return `${job_id}  would be replayed`
    case "refused":
      return `${job_id}  ${style.bad(code ?? "refused")}: ${message}`
  }
}

const tell = (document: ReplayJson) => answerAll([document], ({ style }) => [line(style, document)])

const matches = (code: string, wanted: string): boolean =>
  wanted.endsWith("*") ? code.startsWith(wanted.slice(0, -1)) : code === wanted

/** Whether the letter is among those that `--all` means: what was replayed, discarded or forbidden is left alone. */
const isMeant = (row: LetterRow & { readonly replayed_by: number | null }, input: Input): boolean =>
  row.replayed_by === null &&
  row.discarded_at === null &&
  row.replay_eligible !== 0 &&
  Option.match(input.code, {
    onNone: () => true,
    onSome: (code) => matches(row.failure_error_code, code)
  })

/** Visits the jobs that are meant, a page at a time: there may be many. */
const eachMeant = Effect.fnUntraced(function* <E, R>(
  input: Input,
  visit: (id: string) => Effect.Effect<void, E, R>
) {
  const store = yield* Store
  yield* eachPage(
    (after, limit) => store.records({ kind: "letters", job: null, after, limit, open: true }),
    ({ cursor }) => cursor,
    { after: 0, limit: null },
    Effect.fnUntraced(function* (records) {
      const meant = records.filter(({ row }) => isMeant(row, input)).map(({ job }) => job)
      if (meant.length === 0) return
      const found = yield* store.jobs({ by: "seq", seqs: meant, bodies: false })
      const workflow = Option.getOrNull(input.workflow)
      for (const { job } of found.toSorted((a, b) => a.job.seq - b.job.seq))
        if (workflow === null || job.workflowType === workflow) yield* visit(job.jobId)
    })
  )
})

const replayMany = Effect.fnUntraced(function* (input: Input, host: ControlClient.LiveHost | null) {
  let refused = 0
  let count = 0
  const visit = Effect.fnUntraced(function* (id: string) {
    count++
    const document = yield* replaying(id, input, host).pipe(
      // What stands against one job doesn't stand against the others; a store that fails does.
      Effect.catchTag(["ORCH_REPLAY_CONTEXT_MISSING", "ORCH_JOB_NOT_FOUND", "ORCH_STORE_STALE"], (error) => {
        refused++
        const because: ReplayJson = {
          job_id: "jobId" in error ? error.jobId : id,
          outcome: "refused",
          replayed_by: null,
          code: error._tag,
          message: error.message
        }
        return Effect.succeed(because)
      })
    )
    yield* tell(document)
  })
  if (input.all) yield* eachMeant(input, visit)
  else yield* Effect.forEach(input.jobs, visit, { discard: true })
  if (count === 0) yield* talk("No dead letter that may be replayed is meant.")
  return yield* refused === 0 ? Effect.void : new Ended({ exitCode: exit.refused })
})

const checked = (input: Input): Effect.Effect<void, UsageError> => {
  const hint = "muster dlq replay JOB…, or muster dlq replay --all, with --code or --workflow to choose"
  const filtered = Option.isSome(input.code) || Option.isSome(input.workflow)
  if (input.all && input.jobs.length > 0)
    return Effect.fail(new UsageError({ message: "Name jobs or say --all, not both.", hint }))
  if (!input.all && input.jobs.length === 0)
    return Effect.fail(new UsageError({ message: "There is no job to replay.", hint }))
  return !input.all && filtered
    ? Effect.fail(new UsageError({ message: "--code and --workflow choose among --all.", hint }))
    : Effect.void
}

const replayNow = Effect.fnUntraced(function* (input: Input) {
  const [only] = input.jobs
  const host = input.dryRun ? null : yield* anyHost(null)
  // One is told as one: what stands against it is the command's own failure.
  return yield* only !== undefined && input.jobs.length === 1
    ? Effect.flatMap(replaying(only, input, host), tell)
    : replayMany(input, host)
}, Effect.scoped)

export const dlqReplay = Effect.fnUntraced(function* (input: Input) {
  yield* checked(input)
  yield* Effect.provide(replayNow(input), StoreFile.layer("existing"))
})
