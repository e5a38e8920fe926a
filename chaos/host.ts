/**
 * One host of a chaos stage: a program that embeds a fleet over an SQLite file, as any host would, with fault points in its store and its
 * plugins. Settings come from the environment, requests from standard input; when that ends, the harness is gone, and so is the host.
 */
import { monitorEventLoopDelay } from "node:perf_hooks"
import { createInterface } from "node:readline"
import { Store, type Workflow } from "@muster/core"
import { Fleet } from "@muster/fleet"
import { SqliteStore } from "@muster/store-sqlite"
import { Cause, Effect, Exit, Fiber, Layer, Logger } from "effect"
import { chaosCodes } from "./ChaosCatalogue.ts"
import { arm, say } from "./host/FaultPoints.ts"
import * as PointedStore from "./host/PointedStore.ts"
import { watchSpawns } from "./host/SpawnPoints.ts"
import * as Workflows from "./host/Workflows.ts"
import { type HostRequest, type HostSettings, settingsVariable } from "./HostProtocol.ts"

const loaded = performance.now()
// Written by the harness that started this process.
const settings = JSON.parse(process.env[settingsVariable] ?? "{}") as HostSettings

arm(settings.fault)
watchSpawns()

const delay = monitorEventLoopDelay({ resolution: 2 })
delay.enable()
const millis = (nanos: number): number => Math.round(nanos / 1e5) / 10

const codeOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "_tag" in error ? String(error._tag) : String(error)

const answering = (id: number, work: Effect.Effect<Parameters<typeof say>[0], unknown>) =>
  Effect.matchCause(work, {
    onSuccess: say,
    onFailure: (cause) => say({ at: "answer", id, failed: codeOf(Cause.squash(cause)) })
  })

const respond = (request: HostRequest) =>
  Effect.gen(function* () {
    const fleet = yield* Fleet
    switch (request.ask) {
      case "fault":
        arm(request.fault)
        say({ at: "answer", id: request.id })
        return
      case "delay": {
        say({
          at: "answer",
          id: request.id,
          delay: { p99: millis(delay.percentile(99)), max: millis(delay.max) }
        })
        delay.reset()
        return
      }
      case "submit": {
        const { fibers, id, key, payload, workflow } = request
        const submit = fleet.submitAll([{ workflowType: workflow, payload, idempotencyKey: key }])
        const answers = Effect.map(
          Effect.forEach(Array.from({ length: fibers }), () => submit, { concurrency: "unbounded" }),
          (all) => ({
            at: "answer" as const,
            id,
            submitted: all
              .flat()
              .map(({ _tag, jobId, state }) => ({ jobId, state, duplicate: _tag === "Duplicate" }))
          })
        )
        return yield* answering(id, answers)
      }
      case "settle":
        return yield* answering(
          request.id,
          Effect.as(fleet.settle(request.job, { outcome: request.outcome }), {
            at: "answer" as const,
            id: request.id
          })
        )
      case "cancel":
        return yield* answering(
          request.id,
          Effect.as(fleet.cancel(request.job), { at: "answer" as const, id: request.id })
        )
    }
  })

const host = Effect.gen(function* () {
  const fleet = yield* Fleet
  const context = yield* Effect.context<Fleet>()
  const { host: number } = yield* fleet.snapshot
  const requests = createInterface({ input: process.stdin })
  requests.on("line", (line) => {
    // Sent by the harness.
    Effect.runForkWith(context)(respond(JSON.parse(line) as HostRequest))
  })
  requests.on("close", () => process.kill(process.pid, "SIGKILL"))
  say({ at: "started", host: number, millis: performance.now(), loaded })
  return yield* fleet.ended
})

const program = Effect.gen(function* () {
  const workflows: ReadonlyArray<Workflow.Any> = yield* Workflows.make(settings)
  const fleet = Fleet.layer({
    workflows,
    slots: settings.slots,
    codes: chaosCodes,
    lease: { lease: settings.leaseMillis, renewal: settings.leaseMillis / 5 },
    stop: settings.stopMillis
  })
  const store = Store.layerFromDriver(
    Effect.map(SqliteStore.makeDriver({ filename: settings.store, synchronous: "NORMAL" }), PointedStore.make)
  )
  return yield* host.pipe(Effect.provide(Layer.provide(fleet, store)))
}).pipe(Effect.scoped, Effect.provide(Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)])))

const fiber = Effect.runFork(program)
for (const signal of ["SIGTERM", "SIGINT"] as const)
  process.once(signal, () => Effect.runFork(Fiber.interrupt(fiber)))
fiber.addObserver((exit) => {
  if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) {
    const error = Cause.squash(exit.cause)
    say({ at: "ended", code: codeOf(error), message: error instanceof Error ? error.message : String(error) })
    process.exit(1)
  }
  process.exit(0)
})
