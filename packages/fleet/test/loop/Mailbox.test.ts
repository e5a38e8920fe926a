// The lanes of the loop's mailbox, and who waits for room.
import { assert, describe, it } from "@effect/vitest"
import { defaults, type Inserted, type NewJob, type Signal, type StoreFailure } from "@muster/core"
import { Deferred, Effect, Fiber, Latch } from "effect"
import type { FleetEnded } from "../../src/Fleet.ts"
import * as Mailbox from "../../src/loop/Mailbox.ts"

const job: NewJob = {
  workflowType: "work",
  idempotencyKey: "key",
  payloadFingerprint: "aa",
  payload: "1",
  priority: 0,
  runAt: 0,
  maxRetries: 0,
  correlationId: null,
  traceContext: null,
  replayOf: null,
  actor: "caller:test"
}

const submission = (n: number): Mailbox.Envelope => ({
  job: { ...job, idempotencyKey: `key-${n}` },
  answer: Deferred.makeUnsafe<Inserted, StoreFailure | FleetEnded>()
})
const worked = (seq: number): Signal => ({ _tag: "Worked", seq, incarnation: 1, result: "1" })
const stopping: Signal = { _tag: "Stopping" }

const keysOf = ({ submissions }: Mailbox.Batch): ReadonlyArray<string> =>
  submissions.map(({ job: { idempotencyKey } }) => idempotencyKey)

describe("the loop's mailbox", () => {
  it.effect(
    "gives control first, then what agents bring back, then submissions, whatever came first (R14)",
    () =>
      Effect.gen(function* () {
        const mailbox = yield* Mailbox.make
        yield* mailbox.submit(submission(1))
        mailbox.report(worked(1))
        mailbox.report(worked(2))
        mailbox.command(stopping)
        const first = mailbox.take(2)
        assert.deepStrictEqual(first, { signals: [stopping, worked(1)], submissions: [] })
        const second = mailbox.take(2)
        assert.deepStrictEqual(second.signals, [worked(2)])
        assert.deepStrictEqual(keysOf(second), ["key-1"])
      })
  )

  it.effect("lets submissions wait for room, and nobody else (R14)", () =>
    Effect.gen(function* () {
      const mailbox = yield* Mailbox.make
      for (let n = 0; n < defaults.mailboxMessages; n++) yield* mailbox.submit(submission(n))
      const late = yield* Effect.forkChild(mailbox.submit(submission(-1)))
      yield* Effect.yieldNow
      assert.isUndefined(late.pollUnsafe())
      for (let n = 0; n < 2 * defaults.mailboxMessages; n++) mailbox.report(worked(n))
      mailbox.command(stopping)
      const batch = mailbox.take(4 * defaults.mailboxMessages)
      assert.lengthOf(batch.signals, 2 * defaults.mailboxMessages + 1)
      yield* Fiber.join(late)
      const keys = [...keysOf(batch), ...keysOf(mailbox.take(9))]
      assert.deepStrictEqual([keys.length, keys.at(-1)], [defaults.mailboxMessages + 1, "key--1"])
    })
  )

  it.effect("rings until all that waits is taken", () =>
    Effect.gen(function* () {
      const mailbox = yield* Mailbox.make
      mailbox.report(worked(1))
      mailbox.report(worked(2))
      yield* mailbox.await
      mailbox.take(1)
      yield* mailbox.await
      mailbox.take(1)
      const passed = yield* Latch.make()
      const waits = yield* Effect.forkChild(Effect.andThen(mailbox.await, passed.open))
      yield* Effect.yieldNow
      assert.isUndefined(waits.pollUnsafe(), "nothing waits")
      mailbox.ring()
      yield* passed.await
    })
  )
})
