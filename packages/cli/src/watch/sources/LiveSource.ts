/**
 * The board of a store: what its hosts say of themselves over their sockets, and what the store says of everything else. A host that goes is
 * told of and its part is taken from the store; one that comes, or comes back, is found within a moment.
 */
import { Store } from "@muster/core"
import { ControlClient } from "@muster/fleet/control"
import { Clock, Effect, FiberMap, Stream } from "effect"
import { operator } from "../../Operator.ts"
import type { BoardActions, BoardSource } from "../BoardSource.ts"
import { type FleetLook, type HostLook, shortId } from "../FleetLook.ts"
import { type HostReport, ofBoard, overlay } from "./HostReport.ts"
import { jobStory } from "./JobStory.ts"
import { logOf } from "./LogLines.ts"
import { storeActions, told } from "./StoreActions.ts"
import * as StoreLook from "./StoreLook.ts"

/** How often the store is read, and hosts that nobody listens to are looked for, in milliseconds. */
const pollMillis = 1_000
/** How often a host tells, and a look is made of what was told, in milliseconds. */
const everyMillis = 100
/** A host that says nothing for so long doesn't answer, in milliseconds. */
const quietMillis = 3_000
/** How long it is said that a host has gone, in milliseconds. */
const goneMillis = 15_000
/** How long a cancel waits for its host's answer, in milliseconds. */
const cancelMillis = 5_000

interface Listened {
  readonly client: ControlClient.ControlClient
  /** Null: it has not told yet. */
  report: HostReport | null
}

export const make = Effect.gen(function* () {
  const store = yield* Store
  const clock = yield* Clock.Clock
  const { read } = yield* StoreLook.make
  const hosts = new Map<number, Listened>()
  const listeners = yield* FiberMap.make<number>()
  let rows: FleetLook | null = null
  let unread = ""
  /** Hosts for whose sockets it has been looked, whether or not there are any. */
  const sought = new Set<number>()
  /** When those have gone that were listened to. */
  const gone = new Map<number, number>()
  /** Something was told since the last look was made. */
  let isNews = false

  const now = () => clock.currentTimeMillisUnsafe()

  const listen = ({ host, path }: ControlClient.LiveHost) =>
    Effect.scoped(
      Effect.gen(function* () {
        const client = yield* ControlClient.connect(path)
        const listened: Listened = { client, report: null }
        hosts.set(host, listened)
        gone.delete(host)
        yield* Stream.runForEach(client.Watch({ everyMillis }), (board) =>
          Effect.sync(() => {
            listened.report = ofBoard(board, now())
            isNews = true
          })
        )
      })
    ).pipe(
      Effect.ignore,
      Effect.ensuring(
        Effect.sync(() => {
          hosts.delete(host)
          gone.set(host, now())
          isNews = true
        })
      )
    )

  /** A host that has gone beats no more, whatever its lease says, until it is seen to. */
  const believed = (host: HostLook): HostLook => ({
    ...host,
    beating: host.beating && host.beatAt > (gone.get(host.host) ?? Number.NEGATIVE_INFINITY)
  })

  /** Listens to hosts that nobody listens to yet. */
  const find = Effect.gen(function* () {
    const live = rows?.hosts.filter(({ beating, host }) => beating && !hosts.has(host)) ?? []
    if (live.length === 0) return
    const found = yield* Effect.scoped(ControlClient.hostsOf(store.name))
    for (const host of found)
      if (!hosts.has(host.host)) yield* FiberMap.run(listeners, host.host, listen(host))
    for (const { host } of live) sought.add(host)
    isNews = true
  })

  const poll = read.pipe(
    Effect.provideService(Store, store),
    Effect.tap((look) =>
      Effect.sync(() => {
        rows = { ...look, hosts: look.hosts.map(believed) }
        unread = ""
      })
    ),
    Effect.catch((error) =>
      Effect.sync(() => {
        unread = `the store can't be read: ${error.message}`
      })
    ),
    Effect.andThen(
      Effect.sync(() => {
        isNews = true
      })
    ),
    Effect.andThen(find)
  )
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(poll, Effect.sleep(pollMillis))))

  const noticeOf = (look: FleetLook, silent: ReadonlyArray<number>): string => {
    if (unread !== "") return unread
    if (silent.length > 0) return `host ${silent.join(", ")} doesn't answer: its part is what the store says`
    const lately = Array.from(gone).filter(([, at]) => now() - at < goneMillis)
    if (lately.length > 0)
      return `host ${lately.map(([host]) => host).join(", ")} has gone: its part is what the store says`
    const unheard = look.hosts.filter(({ answers, beating }) => beating && !answers)
    if (unheard.length === 0) return ""
    // Found, and has not told yet, is no want of a socket either.
    return unheard.some(({ host }) => sought.has(host) && !FiberMap.hasUnsafe(listeners, host))
      ? "a host has no socket here: what its agents say isn't known"
      : `connecting to host ${unheard.map(({ host }) => host).join(", ")} …`
  }

  const look = Effect.sync((): FleetLook | null => {
    if (!isNews || rows === null) return null
    isNews = false
    const all = Array.from(hosts, ([host, { report }]) => ({ host, report }))
    const isFresh = (report: HostReport): boolean => now() - report.at < quietMillis
    const reports = all.flatMap(({ report }) => (report !== null && isFresh(report) ? [report] : []))
    const silent = all.flatMap(({ host, report }) => (report !== null && !isFresh(report) ? [host] : []))
    const merged = overlay({ ...rows, at: now() }, reports)
    return { ...merged, notice: noticeOf(merged, silent) }
  })

  const clientOf = (jobId: string): ControlClient.ControlClient | undefined =>
    Array.from(hosts.values()).find(
      ({ report }) => report?.agents.some((agent) => agent.jobId === jobId) === true
    )?.client

  const byStore = yield* storeActions
  const cancel = (jobId: string): Effect.Effect<string> => {
    const client = clientOf(jobId)
    if (client === undefined) return byStore.cancel(jobId)
    const asked = Effect.flatMap(operator, (actor) =>
      client.Cancel({ jobId, actor, waitMillis: cancelMillis })
    )
    return asked.pipe(
      Effect.map(({ outcome }) =>
        outcome === "cancelled"
          ? `job ${shortId(jobId)} is cancelled`
          : `the cancel of job ${shortId(jobId)} is recorded; its host has not answered yet`
      ),
      // a host that has gone in this moment leaves the store to ask
      Effect.catchTag("RpcClientError", () => byStore.cancel(jobId)),
      told
    )
  }
  const actions: BoardActions = { ...byStore, cancel }
  const source: BoardSource = {
    looks: Stream.tick(everyMillis).pipe(
      Stream.mapEffect(() => look),
      Stream.filter((found) => found !== null)
    ),
    log: (jobId) =>
      logOf(
        jobStory(store, jobId),
        { store: store.name, jobId },
        () => clientOf(jobId)?.Lines({ jobId }) ?? null
      ),
    actions
  }
  return source
})
