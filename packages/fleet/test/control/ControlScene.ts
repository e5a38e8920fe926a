// A real host with a real socket: a fleet over a store in memory, in a folder of its own, on the real clock.
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import * as Net from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Workflow } from "@muster/core"
import { Context, Effect, Layer, type Scope } from "effect"
import * as MemoryStore from "../../src/adapters/MemoryStore.ts"
import { Control, ControlClient } from "../../src/control/index.ts"
import { Fleet, type FleetService } from "../../src/Fleet.ts"

/** A folder that is gone with the test. */
export const folder = (name = "control"): Effect.Effect<string, never, Scope.Scope> =>
  Effect.acquireRelease(
    // The path itself, as macOS has it: its temporary folder is a link.
    Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), `muster ${name}-`)))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )

interface ServedHost {
  readonly fleet: FleetService
  /** The store's file, beside which the socket is; nothing is in it. */
  readonly store: string
  /** The socket. */
  readonly path: string
}

/** A host that serves its fleet. */
export const serve = Effect.fnUntraced(function* (given: {
  readonly workflows: ReadonlyArray<Workflow.Any>
  readonly slots?: number
  readonly store?: string
  readonly limits?: Control.ControlOptions["limits"]
}) {
  const store = given.store ?? join(yield* folder(), "fleet.db")
  const { slots, workflows } = given
  const fleetLayer = Fleet.layer({ workflows, ...(slots === undefined ? {} : { slots }), stop: "1 second" })
  const context = yield* Layer.build(Layer.provideMerge(fleetLayer, MemoryStore.layer()))
  const path = yield* Effect.provide(
    Control.serve({ store, ...(given.limits === undefined ? {} : { limits: given.limits }) }),
    context
  )
  const served: ServedHost = { fleet: Context.get(context, Fleet), store, path }
  return served
})

/** A client of the only host beside this store, as soon as it answers. */
export const clientOf = Effect.fnUntraced(function* (store: string) {
  for (;;) {
    const [host] = yield* ControlClient.hostsOf(store, 5_000)
    if (host !== undefined) return host.client
    yield* Effect.yieldNow
  }
})

/** Somebody who speaks with the socket without our client. */
export interface Stranger {
  readonly send: (text: string) => void
  /** What has come so far. */
  readonly heard: () => string
  /** Returns when the host has closed the connection. */
  readonly closed: Effect.Effect<void>
  /** Returns when so much has come. */
  readonly hears: (text: string) => Effect.Effect<void>
  readonly socket: Net.Socket
}

export const stranger = (path: string, reads = true): Effect.Effect<Stranger, Error, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<Net.Socket, Error>((resume) => {
      const socket = Net.createConnection({ path, allowHalfOpen: true })
      socket.once("error", (error) => resume(Effect.fail(error)))
      socket.once("connect", () => resume(Effect.succeed(socket)))
    }),
    (socket) => Effect.sync(() => socket.destroy())
  ).pipe(
    Effect.map((socket) => {
      let heard = ""
      let over = false
      const waiters = new Set<() => void>()
      const tell = () => {
        for (const waiter of waiters) waiter()
      }
      socket.on("error", tell)
      if (reads)
        socket.on("data", (data) => {
          heard += data.toString("utf8")
          tell()
        })
      for (const end of ["close", "end"] as const)
        socket.on(end, () => {
          over = true
          tell()
        })
      const until = (holds: () => boolean) =>
        Effect.callback<void>((resume) => {
          const look = () => {
            if (!holds()) return
            waiters.delete(look)
            resume(Effect.void)
          }
          waiters.add(look)
          look()
          return Effect.sync(() => waiters.delete(look))
        })
      return {
        send: (text: string) => socket.write(text),
        heard: () => heard,
        closed: until(() => over),
        hears: (text: string) => until(() => heard.includes(text)),
        socket
      }
    })
  )

/** A question as it goes over the wire. */
export const question = (id: string, tag: string, payload: unknown = null): string =>
  `${JSON.stringify({ _tag: "Request", id, tag, payload, headers: [] })}\n`
