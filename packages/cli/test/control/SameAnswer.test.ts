// A command answers the same whether a host does it or the store, and says which.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { document } from "../CommandLine.ts"
import { live, served } from "./ServedStore.ts"

const wishes = "muster pause, resume, drain and scale"

/** What differs by nature: who has answered, times, and the numbers of wishes. */
const alike = (told: Record<string, unknown>, ...but: ReadonlyArray<string>): Record<string, unknown> => {
  const { source: _, ...rest } = told
  return Object.fromEntries(Object.entries(rest).filter(([name]) => !but.includes(name)))
}

describe("a command beside a running host", () => {
  it.live("status says the same, from the host and from the store, and which of them answered", () =>
    Effect.gen(function* () {
      const { fleet, type, without, work } = yield* served
      yield* fleet.submit(work, { n: 1 })
      yield* fleet.pause({ actor: "operator:ana", reason: "lunch" })
      const told = Effect.map(type(["status", "--json"]), ({ out }) => document("muster status", out[0]))
      const byHost = yield* told
      const byStore = yield* without(told)
      assert.deepInclude(byHost, { source: "host", mode: "paused" })
      assert.deepInclude(byStore, { source: "store", mode: "paused" })
      assert.deepNestedInclude(byHost, { "hosts[0].answers": true, "hosts[0].slots": 2 })
      assert.deepNestedInclude(byStore, { "hosts[0].answers": false })
      const [host] = byHost["hosts"] as ReadonlyArray<object> // by schema
      assert.deepStrictEqual(
        alike({ ...byHost, hosts: [{ ...host, answers: false }] }, "events"),
        alike(byStore, "events")
      )
    }).pipe(Effect.provide(live))
  )

  it.live("pause, resume, scale and drain do the same, and are told the same way", () =>
    Effect.gen(function* () {
      const { type, without } = yield* served
      const commands = [
        ["pause", "--reason", "lunch"],
        ["resume"],
        ["resume"],
        ["scale", "5"],
        ["scale", "--reset"],
        ["scale", "3", "--host", "1"],
        ["drain", "--wait"]
      ]
      for (const args of commands) {
        const told = Effect.map(type([...args, "--json"]), ({ err, exitCode, out }) => {
          assert.strictEqual(exitCode, 0, err)
          return document(wishes, out[0])
        })
        const byHost = yield* told
        const byStore = yield* without(told)
        assert.deepStrictEqual([args[0], byHost["source"], byStore["source"]], [args[0], "host", "store"])
        assert.deepStrictEqual(
          alike(byHost, "intent", "requested_at"),
          alike(byStore, "intent", "requested_at")
        )
        if (args[0] === "pause") yield* type(["resume"])
      }
    }).pipe(Effect.provide(live))
  )

  it.live("a wish that can't be met fails with the same code", () =>
    Effect.gen(function* () {
      const { type, without } = yield* served
      for (const args of [
        ["drain", "--host", "99"],
        ["scale", "2", "--host", "99"],
        ["cancel", "99"],
        ["settle", "1", "--done"],
        ["settle", "1", "sent", "--done"],
        ["dlq", "replay", "1"],
        ["submit", "-w", "other", "--key", "taken", '{"n":2}']
      ]) {
        if (args[0] === "submit") yield* type(["submit", "-w", "other", "--key", "taken", '{"n":1}'])
        const byHost = yield* type([...args, "--json"])
        const byStore = yield* without(type([...args, "--json"]))
        assert.notStrictEqual(byHost.exitCode, 0, args.join(" "))
        assert.deepStrictEqual(byHost, byStore)
      }
    }).pipe(Effect.provide(live))
  )

  it.live("submit and cancel do the same: a job that waits, one that works, one that is cancelled", () =>
    Effect.gen(function* () {
      const { type, without } = yield* served
      const submit = (n: number) =>
        Effect.map(type(["submit", "-w", "wait", `{"n":${n}}`, "--json"]), ({ out }) =>
          document("muster submit", out[0])
        )
      const byHost = yield* submit(1)
      const byStore = yield* without(submit(2))
      const own = ["job_id", "idempotency_key", "run_at"]
      assert.deepStrictEqual(alike(byHost, ...own), alike(byStore, ...own))
      assert.deepStrictEqual([byHost["source"], byStore["source"]], ["host", "store"])
      const again = yield* submit(1)
      assert.deepInclude(again, { job_id: byHost["job_id"], duplicate: true, source: "host" })
      const cancel = (id: unknown) =>
        Effect.map(type(["cancel", String(id), "--json"]), ({ err, exitCode, out }) => {
          assert.strictEqual(exitCode, 0, err)
          return document("muster cancel", out[0])
        })
      const first = yield* cancel(byHost["job_id"])
      assert.deepInclude(first, { outcome: "cancelled", current_state: "CANCELLED", source: "host" })
      assert.deepInclude(yield* cancel(byHost["job_id"]), { outcome: "cancelled", source: "host" })
      const second = yield* without(cancel(byStore["job_id"]))
      assert.deepStrictEqual(alike(first, "job_id", "intent"), alike(second, "job_id", "intent"))
    }).pipe(Effect.provide(live))
  )

  it.live("the words of an operator stand in the audit, whoever carries them out", () =>
    Effect.gen(function* () {
      const { type } = yield* served
      yield* type(["cancel", "1", "--reason", "not needed"])
      const { out } = yield* type(["events", "--job", "1", "--json"])
      const cancelled = out.map((line) => JSON.parse(line)).find(({ event }) => event === "cancel")
      assert.match(cancelled.actor, /^operator:./)
      assert.deepInclude(cancelled.detail, { reason: "not needed" })
    }).pipe(Effect.provide(live))
  )
})
