import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { auditRules } from "@muster/core"
import { Effect, FileSystem, Layer } from "effect"
import { TestClock } from "effect/testing"
import { document, type, world } from "../CommandLine.ts"
import { AuditScene, jobs, now, plant } from "./AuditScene.ts"
import type { Planted } from "./Planted.ts"
import { chains } from "./PlantedChains.ts"
import { fleetWide } from "./PlantedFleet.ts"
import { records, steps } from "./PlantedRecords.ts"
import { rows } from "./PlantedRows.ts"

const planted = [...rows, ...chains, ...records, ...steps, ...fleetWide]

/** A copy of the scene, and commands that name it. */
const copy = Effect.gen(function* () {
  const scene = yield* AuditScene
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.makeTempDirectoryScoped({ directory: scene.folder })
  const file = join(folder, "copy.db")
  yield* fs.copyFile(scene.file, file)
  yield* TestClock.setTime(now)
  return { file, type: (...args: ReadonlyArray<string>) => type([...args, "--store", file]) }
})

const findingsOf = (lines: ReadonlyArray<string>) =>
  lines.slice(0, -1).map((line) => document("muster audit: a finding", line))

/** `job:k3f9qx-8` as `job:8`, `event:k3f9qx-e12` as `event`. */
const plainSubject = (subject: unknown): string =>
  String(subject)
    .replace(/^(event|intent|store):.*$/, "$1")
    .replace(/^(job|agent):.*-(\d+)$/, "$1:$2")

const expectedSubject = ({ subject }: Planted): string =>
  typeof subject === "string"
    ? `job:${jobs[subject]}`
    : "text" in subject
      ? subject.text
      : `agent:${jobs[subject.agentOf]}`

layer(Layer.merge(world, AuditScene.layer.pipe(Layer.provide(world))))("muster audit", (it) => {
  it.effect("finds nothing wrong with what a host has made, and says how much it has read", () =>
    Effect.gen(function* () {
      const { type } = yield* copy
      const said = yield* type("audit", "--json")
      assert.deepStrictEqual(findingsOf(said.out), [])
      const summary = document("muster audit: the last line", said.out.at(-1))
      assert.deepStrictEqual(summary["clean"], true)
      assert.strictEqual(summary["jobs"], 9)
      assert.strictEqual(summary["records"], 5)
      assert.strictEqual(said.exitCode, 0)
      const people = yield* type("audit")
      assert.deepStrictEqual(people.out, [
        `Clean: 9 jobs, ${String(summary["events"])} events and 5 records were read.`
      ])
    })
  )

  for (const fault of planted) {
    const severity = fault.severity ?? "fault"
    it.effect(`names ${fault.fault} (${fault.rule}, a ${severity})`, () =>
      Effect.gen(function* () {
        const { file, type } = yield* copy
        plant(file, fault.statements)
        const said = yield* type("audit", "--json")
        const found = findingsOf(said.out)
        assert.sameMembers(
          found.map(({ rule }) => rule),
          [fault.rule, ...(fault.also ?? [])],
          said.out.join("\n")
        )
        assert.include(
          found.map((one) => [one["rule"], one["severity"], plainSubject(one["subject"])].join(" ")),
          [fault.rule, severity, expectedSubject(fault)].join(" ")
        )
        assert.strictEqual(said.exitCode, severity === "fault" ? 7 : 0)
      })
    )
  }

  it.effect("has a planted fault for every rule that a file can break", () =>
    Effect.sync(() => {
      const covered = new Set<string>(planted.map(({ rule }) => rule))
      // A file's events are read in the order of their sequences, so there it can't be broken; core tests it.
      const uncovered = auditRules.filter(({ id }) => !covered.has(id) && id !== "chain-order")
      assert.deepStrictEqual(uncovered, [])
    })
  )

  it.effect("tells people each rule once with what breaks it and where to look, and cuts at --limit", () =>
    Effect.gen(function* () {
      const { file, type } = yield* copy
      plant(file, [
        "UPDATE job_state SET owner_host = NULL, owner_epoch = NULL WHERE seq = 3",
        "UPDATE job_end SET result = NULL WHERE job IN (1, 8)"
      ])
      const whole = yield* type("audit")
      assert.strictEqual(whole.exitCode, 7)
      assert.include(whole.out, "owner-missing")
      assert.strictEqual(whole.out.filter((line) => line === "result-missing").length, 1)
      assert.strictEqual(
        whole.out.filter((line) => /it is COMPLETED without .*muster show [18]$/.test(line)).length,
        2
      )
      assert.match(whole.out.at(-1) ?? "", /^3 faults: 9 jobs, /)
      for (const line of whole.out) assert.isAtMost(line.length, 80)
      const cut = yield* type("audit", "--limit", "1")
      assert.include(cut.out, "2 findings more: --limit N.")
      assert.match(cut.out.at(-1) ?? "", /^3 faults: 9 jobs, /)
      const json = yield* type("audit", "--limit", "1", "--json")
      assert.lengthOf(json.out, 2)
      assert.deepInclude(document("muster audit: the last line", json.out[1]), { faults: 3, left_out: 2 })
    })
  )
})
