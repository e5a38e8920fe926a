import { spawn } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { fromText, type HostIdentity, HostProbe, toText } from "../../../src/adapters/process/HostProbe.ts"
import * as NodeHostProbe from "../../../src/adapters/process/NodeHostProbe.ts"

const place = { machine: "m", boot_id: "b" }
const identity: HostIdentity = { ...place, pid: 7, start_time: "100" }

describe("HostProbe", () => {
  for (const [what, here, started, verdict] of [
    ["the same process", place, "100", "alive"],
    ["no process", place, null, "gone"],
    ["a process that took over its pid", place, "200", "gone"],
    ["a machine that was started anew", { ...place, boot_id: "c" }, "100", "gone"],
    ["another machine", { ...place, machine: "n" }, null, "unknown"],
    ["another machine that was started at another time", { machine: "n", boot_id: "c" }, null, "unknown"],
    ["a machine that doesn't tell when it was started", { ...place, boot_id: null }, null, "unknown"],
    ["a process that the system doesn't describe", place, "", "unknown"]
  ] as const)
    it(`takes a host for ${verdict} where it finds ${what}`, () =>
      assert.strictEqual(NodeHostProbe.judge(here, identity, started), verdict))

  it.live("knows itself, and survives being written down", () =>
    Effect.gen(function* () {
      const probe = yield* HostProbe
      const self = yield* probe.self
      assert.strictEqual(self.pid, process.pid)
      assert.isNotEmpty(self.machine)
      assert.isNotEmpty(self.start_time)
      assert.deepStrictEqual(fromText(toText(self)), self)
      assert.strictEqual(yield* probe.probe(self), "alive")
    }).pipe(Effect.provide(NodeHostProbe.layer))
  )

  it.live("sees that a host has gone, and that its pid is somebody else's now (R19)", () =>
    Effect.gen(function* () {
      const probe = yield* HostProbe
      const self = yield* probe.self
      const child = spawn("true")
      const pid = child.pid ?? 0
      yield* Effect.callback<void>((resume) => {
        child.once("exit", () => resume(Effect.void))
      })
      assert.strictEqual(yield* probe.probe({ ...self, pid }), "gone")
      assert.strictEqual(yield* probe.probe({ ...self, start_time: "1" }), "gone")
      assert.strictEqual(yield* probe.probe({ ...self, machine: "elsewhere" }), "unknown")
    }).pipe(Effect.provide(NodeHostProbe.layer))
  )

  it("reads no identity out of other texts", () => {
    for (const text of ["", "{}", "null", '{"machine":"m"}', "x"]) assert.isNull(fromText(text))
  })
})
