// Clients that mean no good, or no harm but trouble: each is cut off, and the fleet goes on as if they weren't there.
import { assert, describe, it } from "@effect/vitest"
import { ScriptedRunner } from "@muster/core/testing"
import { Effect } from "effect"
import { numbers, scriptedWorkflow } from "../fleet/Scripted.ts"
import { clientOf, question, serve, stranger } from "./ControlScene.ts"

const { succeed } = ScriptedRunner

const host = (limits: NonNullable<Parameters<typeof serve>[0]["limits"]> = {}) => {
  const { work } = scriptedWorkflow(({ n }) => [succeed(n)])
  return Effect.map(serve({ workflows: [work], limits }), (served) => ({
    ...served,
    work,
    /** It answers others, and its fleet works. */
    isWell: Effect.gen(function* () {
      const client = yield* clientOf(served.store)
      assert.strictEqual((yield* client.Hello()).host, 1)
      assert.strictEqual(yield* (yield* served.fleet.submit(work, 7)).result, 7)
    }).pipe(Effect.scoped)
  }))
}

describe("a client", () => {
  it.live("that sends a message of 50 MB is cut off long before all of it has come", () =>
    Effect.gen(function* () {
      const { isWell, path } = yield* host()
      const peer = yield* stranger(path)
      const piece = "x".repeat(1_048_576)
      let taken = 0
      const sending = Effect.gen(function* () {
        for (; taken < 50; taken++)
          yield* Effect.callback<void>((resume) => {
            peer.socket.write(piece, (error) => (error ? undefined : resume(Effect.void)))
          })
      })
      yield* Effect.raceFirst(sending, peer.closed)
      assert.isBelow(taken, 8)
      yield* peer.closed
      yield* isWell
    })
  )

  it.live("that sends no JSON, no message, or one of another shape is cut off", () =>
    Effect.gen(function* () {
      const { isWell, path } = yield* host()
      const lines = [
        "GET / HTTP/1.1\r\n\r\n",
        "null\n",
        "42\n",
        "[[1]]\n",
        "{}\n",
        '{"_tag":"Request"}\n',
        '{"_tag":"Request","id":{"a":1},"tag":"Hello","headers":[]}\n',
        '{"_tag":"Request","id":"1","tag":"Hello","headers":7}\n',
        '{"_tag":"Request","id":"1","tag":"Hello","headers":[["a"]],"isNotification":true}\n',
        '{"_tag":"Ack"}\n',
        '{"_tag":"Nonsense"}\n',
        `${"[".repeat(200_000)}\n`,
        "\u0000\u0001\u0002\n"
      ]
      for (const line of lines) {
        const peer = yield* stranger(path)
        peer.send(line)
        yield* peer.closed
      }
      yield* isWell
    })
  )

  it.live("that asks what nobody answers, or with what doesn't fit, is told so and may go on", () =>
    Effect.gen(function* () {
      const { isWell, path } = yield* host()
      const peer = yield* stranger(path)
      peer.send(question("1", "__proto__"))
      yield* peer.hears('"requestId":"1"')
      peer.send(question("2", "Jobs", { state: null, workflow: null, after: -1, limit: 1e9 }))
      yield* peer.hears('"requestId":"2"')
      peer.send(question("3", "Submit", { submissions: "all" }))
      yield* peer.hears('"requestId":"3"')
      const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`
      const submission = JSON.stringify([{ workflowType: "work", payload: "deep" }]).replace('"deep"', deep)
      peer.send(
        `{"_tag":"Request","id":"4","tag":"Submit","payload":{"submissions":${submission}},"headers":[]}\n`
      )
      yield* peer.hears('"requestId":"4"')
      peer.send('{"_tag":"Interrupt","requestId":"99"}\n{"_tag":"Ack","requestId":"99"}\n')
      peer.send(question("5", "Hello"))
      yield* peer.hears('"requestId":"5"')
      yield* isWell
    })
  )

  it.live("that asks more at once than anybody needs is cut off", () =>
    Effect.gen(function* () {
      const { isWell, path } = yield* host({ open: 8 })
      const peer = yield* stranger(path)
      for (const n of numbers(9)) peer.send(question(String(n), "Events", { after: 0 }))
      yield* peer.closed
      yield* isWell
    })
  )

  it.live("that floods its host with what is quickly answered is cut off", () =>
    Effect.gen(function* () {
      const { isWell, path } = yield* host()
      const peer = yield* stranger(path)
      peer.send('{"_tag":"Ping"}\n'.repeat(10_000))
      yield* peer.closed
      yield* isWell
    })
  )

  it.live("that never reads is cut off, and the fleet doesn't wait for it", () =>
    Effect.gen(function* () {
      const { fleet, isWell, path, work } = yield* host({ stallMillis: 300 })
      for (const n of numbers(300)) yield* fleet.submit(work, n)
      const peer = yield* stranger(path, false)
      for (const n of numbers(30))
        peer.send(question(String(n), "Jobs", { state: null, workflow: null, after: 0, limit: 1_000 }))
      yield* isWell
      const gone = yield* Effect.timeoutOption(peer.closed, "10 millis")
      assert.strictEqual(gone._tag, "None")
      // A peer that doesn't read doesn't see the end either, until it reads what is there.
      yield* Effect.sleep("600 millis")
      peer.socket.resume()
      yield* peer.closed
      yield* isWell
    })
  )

  it.live("that says nothing is cut off; one that has half closed its side as well", () =>
    Effect.gen(function* () {
      const { isWell, path } = yield* host({ idleMillis: 200 })
      const mute = yield* stranger(path)
      yield* mute.closed
      const half = yield* stranger(path)
      half.send(question("1", "Events", { after: 0 }))
      half.socket.end()
      yield* half.closed
      yield* isWell
    })
  )

  it.live("that opens connections without end gets no more than there are, and frees them by going", () =>
    Effect.gen(function* () {
      const { isWell, path } = yield* host({ connections: 4 })
      yield* Effect.scoped(
        Effect.gen(function* () {
          const peers = yield* Effect.forEach(numbers(4), () => stranger(path))
          for (const peer of peers) {
            peer.send(question("1", "Hello"))
            yield* peer.hears('"requestId":"1"')
          }
          const fifth = yield* stranger(path)
          yield* fifth.closed
        })
      )
      yield* isWell
    })
  )

  it.live("that breaks off in the middle of a stream leaves nothing behind", () =>
    Effect.gen(function* () {
      const { isWell, path } = yield* host()
      for (const n of numbers(50)) {
        const peer = yield* stranger(path)
        peer.send(
          question(String(n), n % 2 === 0 ? "Watch" : "Events", n % 2 === 0 ? { everyMillis: 100 } : {})
        )
        peer.socket.destroy()
      }
      yield* isWell
    })
  )
})
