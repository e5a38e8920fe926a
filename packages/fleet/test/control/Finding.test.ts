// Where sockets are, who may have put them there, and what becomes of those of hosts that are no more.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { ScriptedRunner } from "@muster/core/testing"
import { Effect, Result } from "effect"
import { ControlClient } from "../../src/control/index.ts"
import * as SocketPath from "../../src/control/SocketPath.ts"
import { scriptedWorkflow } from "../fleet/Scripted.ts"
import { clientOf, folder, serve } from "./ControlScene.ts"

const work = () => scriptedWorkflow(({ n }) => [ScriptedRunner.succeed(n)]).work

/** A process that listens at a path, as a host does. */
const listener = (path: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const program = `require("node:net").createServer(() => {}).listen(${JSON.stringify(path)}, () => console.log("there"))`
      const child = spawn(process.execPath, ["-e", program], { stdio: ["ignore", "pipe", "inherit"] })
      await once(child.stdout, "data")
      return child
    }),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )

/** A folder of sockets beside a store, as hosts have left it. */
const left = Effect.gen(function* () {
  const store = join(yield* folder(), "fleet.db")
  const sockets = SocketPath.folderOf(store)
  mkdirSync(sockets, { mode: 0o700 })
  return { store, sockets }
})

describe("the sockets of a store", () => {
  it.live("of a host that was killed are cleared away by the next one, and nobody waits for them", () =>
    Effect.gen(function* () {
      const { sockets, store } = yield* left
      const path = join(sockets, "7.sock")
      const child = yield* listener(path)
      child.kill("SIGKILL")
      yield* Effect.promise(() => once(child, "exit"))
      assert.isTrue(existsSync(path))
      assert.deepStrictEqual(yield* ControlClient.hostsOf(store), [])
      // One with the very number of the next host is replaced.
      const same = join(sockets, "1.sock")
      writeFileSync(same, "")
      const { path: own } = yield* serve({ workflows: [work()], store })
      assert.strictEqual(own, same)
      assert.deepStrictEqual(readdirSync(sockets), ["1.sock"])
      assert.strictEqual((yield* (yield* clientOf(store)).Hello()).host, 1)
    })
  )

  it.live("are those of all its hosts, and each answers for itself", () =>
    Effect.gen(function* () {
      const { sockets, store } = yield* left
      // Its store is its own, so that its number is as well: beside the file are both.
      yield* serve({ workflows: [work()], store })
      const frozen = join(sockets, "2.sock")
      const child = yield* listener(frozen)
      chmodSync(frozen, 0o600)
      const found = SocketPath.sockets(store)
      assert.deepStrictEqual(
        found.map(({ host }) => host),
        [1, 2]
      )
      // The second takes connections and says nothing, as a stopped process does.
      const answering = yield* ControlClient.hostsOf(store, 100)
      assert.deepStrictEqual(
        answering.map(({ host }) => host),
        [1]
      )
      assert.isTrue(existsSync(frozen))
      assert.isNotNull(child.pid)
    }).pipe(Effect.scoped)
  )

  it.live("are left alone where somebody else might have put them", () =>
    Effect.gen(function* () {
      const { store } = yield* serve({ workflows: [work()] })
      const [found] = SocketPath.sockets(store)
      assert.isTrue(found !== undefined && SocketPath.isOwn(found))
      chmodSync(SocketPath.folderOf(store), 0o777)
      assert.isFalse(found !== undefined && SocketPath.isOwn(found))
      assert.deepStrictEqual(yield* ControlClient.hostsOf(store), [])
    })
  )

  it.live("are the same by every name of the store", () =>
    Effect.gen(function* () {
      const home = yield* folder()
      const { store } = yield* serve({ workflows: [work()], store: join(home, "fleet.db") })
      writeFileSync(store, "")
      const link = join(home, "other.db")
      symlinkSync(store, link)
      assert.strictEqual((yield* (yield* clientOf(link)).Hello()).host, 1)
    })
  )

  it.live("are gone when their host has stopped", () =>
    Effect.gen(function* () {
      const home = yield* folder()
      const path = yield* Effect.scoped(
        Effect.map(serve({ workflows: [work()], store: join(home, "fleet.db") }), (served) => served.path)
      )
      assert.isFalse(existsSync(path))
      assert.deepStrictEqual(readdirSync(dirname(path)), [])
    })
  )

  it.live("can't be where nobody may write: the host says why, and lives", () =>
    Effect.gen(function* () {
      const home = yield* folder()
      const file = join(home, "file")
      writeFileSync(file, "")
      const refused = yield* Effect.result(serve({ workflows: [work()], store: join(file, "fleet.db") }))
      assert.isTrue(Result.isFailure(refused))
    })
  )
})
