// `muster spec` as typed: the five outputs of the lifecycle seed for a store with a history.
import { DatabaseSync } from "node:sqlite"
import { assert, layer } from "@effect/vitest"
import { type FleetSpec, JobMachine } from "@muster/core"
import { fleetModel } from "@muster/core/model"
import { SqliteStore } from "@muster/store-sqlite"
import { Effect, FileSystem } from "effect"
import { document, storeFolder, world } from "../CommandLine.ts"
import { enlist } from "../HandMadeHost.ts"

/** Jobs 1 to 3 are dead for bad data, 4 for a legal reason, 5 waits for its retry; 1 is replayed as 6 and 2 discarded. */
const scene = Effect.gen(function* () {
  const { file, folder, type } = yield* storeFolder
  for (const n of [1, 2, 3, 4, 5]) yield* type(["submit", "-w", "count", `{"n":${n}}`])
  yield* Effect.gen(function* () {
    const host = yield* enlist
    for (const seq of [1, 2, 3, 4, 5]) yield* host.take(seq)
    for (const seq of [1, 2, 3]) yield* host.fail(seq, "DQ_BAD", "never")
    yield* host.fail(4, "LEGAL_NO", "forbidden")
    yield* host.fail(5, "EXT_AWAY", "not now")
    yield* host.stop
  }).pipe(Effect.provide(SqliteStore.layer({ filename: file })))
  yield* type(["dlq", "replay", "1"])
  yield* type(["dlq", "discard", "2"])
  const json = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
    return document("muster spec", (yield* type(["spec", "--json", ...args])).out[0])
  })
  return { file, folder, type, json }
})

interface Governance {
  readonly checklist: ReadonlyArray<{
    readonly id: string
    readonly status: string
    readonly seen: string
    readonly jobs: ReadonlyArray<string>
  }>
}

const checklist = (spec: Record<string, unknown>) =>
  // the schema has held the document already
  new Map((spec["governance"] as Governance).checklist.map((item) => [item.id, item]))

layer(world)("muster spec", (it) => {
  it.effect("has the five outputs in Markdown, each from what runs the fleet", () =>
    Effect.gen(function* () {
      const { file, type } = yield* scene
      const { err, exitCode, out } = yield* type(["spec"])
      assert.deepStrictEqual([exitCode, err], [0, ""])
      const text = out.join("\n")
      assert.deepStrictEqual(
        out.filter((line) => /^##? /.test(line)),
        [
          `# Lifecycle of the fleet at ${file}`,
          "## 1. State machines",
          "## 2. Idempotency and deduplication",
          "## 3. Error codes and reactions",
          "## 4. Exponential backoff",
          "## 5. Dead letters and replays",
          "## Decided, and ruled out"
        ]
      )
      for (const { event, from, to } of JobMachine.edges)
        assert.include(text, `| ${from} | ${event} | ${to} |`)
      for (const { id } of fleetModel.invariants) assert.include(text, `| ${id} |`)
      assert.include(text, "1 s (0.8 to 1.2), 2 s (1.6 to 2.4), 4 s (3.2 to 4.8), 8 s (6.4 to 9.6)")
      assert.include(
        text,
        "4 letters: 1 may be replayed, 1 may not until somebody allows it, 1 were replayed, 1 discarded."
      )
      // every table has as many cells in each row as in its head
      let columns = 0
      for (const line of out) {
        const cells = line.startsWith("|") ? line.replaceAll(String.raw`\|`, "").split("|").length : 0
        if (columns > 0 && cells > 0) assert.strictEqual(cells, columns, line)
        columns = cells
      }
    })
  )

  it.effect("names for each decision, and each fault that it rules out, invariants that are there", () =>
    Effect.gen(function* () {
      const { json } = yield* scene
      const spec = yield* json()
      // the schema has held the document already
      const { decisions, invariants, ruled_out } = spec as unknown as FleetSpec
      const known = new Set(invariants.map(({ id }) => id))
      assert.lengthOf(decisions, 3)
      assert.lengthOf(ruled_out, 5)
      for (const { held_by, id } of [...decisions, ...ruled_out]) {
        assert.isNotEmpty(held_by, id)
        assert.deepStrictEqual(
          held_by.filter((one) => !known.has(one)),
          [],
          id
        )
      }
    })
  )

  it.effect("checks each item of the list against the store", () =>
    Effect.gen(function* () {
      const { file, json } = yield* scene
      const spec = yield* json()
      const before = checklist(spec)
      for (const id of ["letter-present", "letter-owed", "payload-kept", "history-kept", "replay-linked"])
        assert.strictEqual(before.get(id)?.status, "holds", id)
      assert.strictEqual(before.get("replay-decided")?.status, "attend")
      assert.deepInclude(spec["governance"], {
        letters: 4,
        replay_eligible: 1,
        forbidden: 1,
        replayed: 1,
        discarded: 1
      })
      const db = new DatabaseSync(file)
      db.exec("DELETE FROM letter WHERE job = 3")
      db.exec("UPDATE job_origin SET correlation_id = 'another' WHERE seq = 6")
      db.exec("UPDATE job_state SET retry_count = 2 WHERE seq = 4")
      db.close()
      const after = checklist(yield* json())
      const broken = [...after.values()].filter(({ status }) => status === "broken")
      assert.deepStrictEqual(
        broken.map(({ id, jobs }) => [id, jobs.map((job) => job.split("-")[1])]),
        [
          ["letter-present", ["3"]],
          ["history-kept", ["4"]],
          ["replay-linked", ["6"]]
        ]
      )
    })
  )

  it.effect("tells the workflows, budgets and codes that are configured", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const { folder, json } = yield* scene
      const config = `${folder}/muster.config.json`
      yield* fs.writeFileString(
        config,
        JSON.stringify({
          workflows: { audit: { command: ["true"], maxRetries: 1, unknownOutcome: "rerun" } },
          codes: { EXT_AWAY: { maxAttempts: 3, backoffBaseSeconds: 7, jitter: 0 } }
        })
      )
      const spec = yield* json("--config", config)
      assert.deepStrictEqual(spec["workflows"], [
        { name: "audit", configured: true, max_retries: 1, unknown_outcome: "rerun" },
        { name: "count", configured: false, max_retries: 4, unknown_outcome: "ask" }
      ])
      // the schema has held it
      const reactions = spec["reactions"] as ReadonlyArray<Record<string, unknown>>
      assert.deepInclude(
        reactions.find(({ code }) => code === "EXT_AWAY"),
        {
          max_attempts: 3,
          attempts: [
            { workflow: "audit", allowed: 2 },
            { workflow: "count", allowed: 3 }
          ]
        }
      )
      // and this
      const backoff = spec["backoff"] as ReadonlyArray<Record<string, unknown>>
      assert.deepInclude(
        backoff.find(({ code }) => code === "EXT_AWAY"),
        {
          waits: [
            { attempt: 2, delay_seconds: 7, earliest_seconds: 7, latest_seconds: 7 },
            { attempt: 3, delay_seconds: 14, earliest_seconds: 14, latest_seconds: 14 }
          ],
          total_seconds: 21
        }
      )
    })
  )
})
