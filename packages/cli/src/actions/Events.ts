/**
 * `muster events`: the store's events in their order, once or as they come.
 */
import { eventJson, type Job, JobNotFound, type LifecycleEvent, seqOf, Store } from "@muster/core"
import type { ControlClient } from "@muster/fleet/control"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { untilInterrupted } from "../Following.ts"
import { JsonFlag } from "../GlobalFlags.ts"
import { anyHost, orStopped } from "../hosts/LiveHosts.ts"
import { eventsForPeople, rowLimit } from "../input/Limit.ts"
import { answerAll, talk } from "../output/Answer.ts"
import { eventColumns } from "../output/EventTable.ts"
import { isListening } from "../output/Listener.ts"
import { table } from "../output/Table.ts"
import { awaitChange } from "../store/Changes.ts"
import { eachPage, pageSize } from "../store/Pages.ts"
import * as StoreFile from "../store/StoreFile.ts"

interface Input {
  readonly job: Option.Option<string>
  readonly after: Option.Option<number>
  readonly limit: Option.Option<number>
  readonly follow: boolean
}

/** The job; fails with ORCH_JOB_NOT_FOUND for an id that this store doesn't have. */
const readJob = Effect.fnUntraced(function* (asked: Option.Option<string>) {
  if (Option.isNone(asked)) return null
  const store = yield* Store
  const seq = seqOf(store.id, asked.value)
  const found = seq === undefined ? [] : yield* store.jobs({ by: "seq", seqs: [seq], bodies: false })
  const [row] = found
  return row === undefined ? yield* new JobNotFound({ jobId: asked.value }) : row.job
})

const print = (events: ReadonlyArray<LifecycleEvent>, isFirst: boolean) =>
  answerAll(events.map(eventJson), (page) =>
    events.length === 0 ? ["No such events."] : table(eventColumns, events, page).slice(isFirst ? 0 : 1)
  )

/** Prints what is there; answers the sequence of the last event that it has seen. */
const printPresent = Effect.fnUntraced(function* (input: Input, job: number | null) {
  const store = yield* Store
  const limit = yield* rowLimit(input.limit, eventsForPeople)
  const forPeople = !(yield* JsonFlag)
  if (forPeople && Option.isNone(input.after) && limit !== null) {
    // people mostly want to know what has just happened
    const newest = yield* store.events({ job, after: 0, limit, order: "descending" })
    yield* print(newest.toReversed(), true)
    if (newest.length === limit) yield* talk(`The newest ${limit}: for more, --limit N or --after 0.`)
    return newest[0]?.sequence ?? 0
  }
  const after = Option.getOrElse(input.after, () => 0)
  const read = yield* eachPage(
    (from, size) => store.events({ job, after: from, limit: size, order: "ascending" }),
    ({ sequence }) => sequence,
    { after, limit },
    print
  )
  if (read.cut) yield* talk(`Perhaps there are more: --after ${read.after}, or a larger --limit.`)
  return read.after
})

/** Asks the store again and again for what has come. */
const followStore = Effect.fnUntraced(function* (job: number | null, from: number) {
  const store = yield* Store
  let after = from
  while (yield* isListening) {
    const token = yield* store.changed
    const fresh = yield* store.events({ job, after, limit: pageSize, order: "ascending" })
    if (fresh.length > 0) yield* print(fresh, false)
    after = fresh.at(-1)?.sequence ?? after
    if (fresh.length < pageSize) yield* awaitChange(token, isListening)
  }
})

/** Hears from a host what comes; answers the sequence of the last event that it has printed, once the host is gone. */
const followHost = Effect.fnUntraced(function* (
  client: ControlClient.ControlClient,
  job: Job | null,
  from: number
) {
  let after = from
  const heard = client.Events({ after: from, ...(job === null ? {} : { jobId: job.jobId }) })
  const printing = Stream.runForEachArray(
    heard,
    Effect.fnUntraced(function* (fresh) {
      yield* print(fresh, false)
      after = fresh.at(-1)?.sequence ?? after
      // Nobody reads any more: then there is nothing to wait for.
      return yield* (yield* isListening) ? Effect.void : Effect.interrupt
    })
  )
  yield* orStopped(printing).pipe(Effect.catchTag(["RpcClientError", "HostStopped"], () => Effect.void))
  return after
})

/** As a host tells it, and when that is gone, or none answers, as the store does: by the same cursor, so that nothing is left out. */
const follow = Effect.fnUntraced(function* (job: Job | null, from: number) {
  const host = yield* anyHost(null)
  if (host === null) return yield* followStore(job?.seq ?? null, from)
  const after = yield* followHost(host.client, job, from)
  if (yield* isListening) yield* talk(`Host ${host.host} is gone: going on by the store.`)
  return yield* followStore(job?.seq ?? null, after)
}, Effect.scoped)

const read = Effect.fnUntraced(function* (input: Input) {
  const job = yield* readJob(input.job)
  const last = yield* printPresent(input, job?.seq ?? null)
  if (input.follow) yield* untilInterrupted(follow(job, last))
})

export const events = (input: Input) => Effect.provide(read(input), StoreFile.layer("read"))
