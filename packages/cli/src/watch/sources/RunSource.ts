/**
 * The board of `muster run`: the fleet in this process, how far the run is, and what the store says of everything else.
 */
import { Store } from "@muster/core"
import type { FleetService } from "@muster/fleet"
import { Clock, Effect, Stream } from "effect"
import { operator } from "../../Operator.ts"
import type { BoardActions, BoardSource } from "../BoardSource.ts"
import { type FleetLook, type RunTally, shortId } from "../FleetLook.ts"
import { ofSnapshot, overlay } from "./HostReport.ts"
import { jobStory } from "./JobStory.ts"
import { logOf } from "./LogLines.ts"
import { told } from "./StoreActions.ts"
import * as StoreLook from "./StoreLook.ts"

const everyMillis = 100
/** How often the store is read, in milliseconds: its queries take this process's time. */
const pollMillis = 1_000

export interface RunBoard {
  readonly title: string
  readonly startedAt: number
  /** How far the run is by now. */
  readonly counts: () => RunTally
  /** What is to be known, as that the run stops; empty for nothing. */
  readonly notice: () => string
}

/** The fleet's own API acts at once. */
const actionsOf = (fleet: FleetService, actor: string): BoardActions => ({
  cancel: (jobId) => told(Effect.as(fleet.cancel(jobId, { actor }), `job ${shortId(jobId)} is cancelled`)),
  pause: told(Effect.as(fleet.pause({ actor }), "paused: no host takes a job; what runs goes on")),
  resume: told(Effect.as(fleet.resume({ actor }), "resumed")),
  scale: (host, slots) =>
    told(
      Effect.as(
        fleet.scale(slots, host === null ? { actor } : { actor, host }),
        `${host === null ? "each host" : `host ${host}`} gets ${slots} ${slots === 1 ? "slot" : "slots"}`
      )
    ),
  replay: (jobId) =>
    told(
      Effect.map(
        fleet.replay(jobId, { actor }),
        (replayed) => `job ${shortId(jobId)} is replayed as job ${shortId(replayed.jobId)}`
      )
    )
})

export const make = Effect.fnUntraced(function* (fleet: FleetService, board: RunBoard) {
  const store = yield* Store
  const { read } = yield* StoreLook.make
  let rows: FleetLook | null = null
  let last: FleetLook | null = null

  const poll = read.pipe(
    Effect.provideService(Store, store),
    Effect.map((look) => {
      rows = look
    }),
    // what the fleet itself is in trouble with, it says
    Effect.ignore
  )
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(poll, Effect.sleep(pollMillis))))

  const look = Effect.gen(function* () {
    const snapshot = yield* fleet.snapshot
    if (rows === null) return null
    const at = yield* Clock.currentTimeMillis
    const merged = overlay({ ...rows, at }, [ofSnapshot(snapshot, at)])
    const { startedAt, title } = board
    const found: FleetLook = {
      ...merged,
      via: "run",
      notice: board.notice(),
      run: { title, startedAt, counts: board.counts() }
    }
    last = found
    return last
    // a fleet that stops tells nothing more
  }).pipe(Effect.orElseSucceed(() => (last === null ? null : { ...last, notice: board.notice() })))

  const source: BoardSource = {
    looks: Stream.tick(everyMillis).pipe(
      Stream.mapEffect(() => look),
      Stream.filter((found) => found !== null)
    ),
    log: (jobId) => logOf(jobStory(store, jobId), { store: store.name, jobId }, () => fleet.lines(jobId)),
    actions: actionsOf(fleet, yield* operator)
  }
  return source
})
