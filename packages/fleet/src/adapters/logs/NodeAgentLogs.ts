/**
 * AgentLogs in files beside a store that is a file. Written by a fiber of its own, some times a second at most: lines that a host has not
 * written when it is killed are lost.
 */
import { statSync } from "node:fs"
import { defaults } from "@muster/core"
import { Clock, Effect, Layer, Queue } from "effect"
import { monotonic } from "../../Instant.ts"
import { AgentLogs, none, type OpenLogs } from "./AgentLogs.ts"
import { folderOf } from "./LogFiles.ts"
import * as LogKeeping from "./LogKeeping.ts"
import { LogWriter } from "./LogWriter.ts"

/** How many times as long as a write the pause after it is at least: a slow disk takes no larger part of the host's time. */
const pause = 9
/** In milliseconds: the host's end waits no longer for the last lines. */
const endMillis = 2_000

const open = Effect.fnUntraced(function* (store: string) {
  // A store in memory has no place beside it.
  if (statSync(store, { throwIfNoEntry: false })?.isFile() !== true) return none
  const folder = folderOf(store)
  const writer = new LogWriter(folder)
  const clock = yield* Clock.Clock
  const wake = yield* Queue.sliding<null>(1)
  let inTrouble = false

  const flush = Effect.gen(function* () {
    const { failure, lost } = yield* Effect.promise(() => writer.flush())
    if (failure !== null && !inTrouble)
      yield* Effect.logWarning(
        `lines of agents can't be kept in ${folder}: ${failure}. The fleet goes on without them.`
      )
    if (failure === null && inTrouble) yield* Effect.logInfo(`lines of agents are kept again in ${folder}`)
    if (lost > 0) yield* Effect.logDebug(`${lost} lines of agents were left out`)
    inTrouble = failure !== null
  })
  yield* Effect.addFinalizer(() => Effect.timeoutOption(flush, endMillis))
  yield* Effect.forkScoped(
    Effect.forever(
      Effect.gen(function* () {
        yield* Queue.take(wake)
        yield* Effect.sleep(defaults.logBuffer.flushMillis)
        const from = monotonic(clock)
        yield* flush
        yield* Effect.sleep(Math.max(0, (monotonic(clock) - from) * pause - defaults.logBuffer.flushMillis))
      })
    )
  )
  const logs: OpenLogs = {
    write: (jobId, line) => {
      const wasDirty = writer.isDirty
      writer.take(jobId, line)
      if (!wasDirty) Queue.offerUnsafe(wake, null)
    },
    prune: (bounds, known) => LogKeeping.prune(folder, bounds, known)
  }
  return logs
})

export const layer: Layer.Layer<never> = Layer.succeed(AgentLogs, { open })
