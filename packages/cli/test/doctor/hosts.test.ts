// The doctor beside real hosts: one that lives, one that is stopped by a signal, one that was killed. With --fix it mends what the last one has
// left, and touches nothing of the others.
import { once } from "node:events"
import { existsSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { inFolder, isAlive, type Scene } from "../run/MusterProcess.ts"

const agent = `echo $$ >> pids; echo up; sleep 600 & wait`

interface Diagnosis {
  readonly check: string
  readonly verdict: string
  readonly found: string
}

const examine = async (scene: Scene, ...args: ReadonlyArray<string>) => {
  const { code, err, out } = await scene.start("doctor", "--json", ...args).ended
  // what docs/json.md says of it
  const { diagnoses } = JSON.parse(out || `{"diagnoses":[]}`) as {
    readonly diagnoses: ReadonlyArray<Diagnosis>
  }
  const verdictOf = (check: string): string =>
    diagnoses.find((one) => one.check === check)?.verdict ?? `none: ${err}`
  return { code, verdictOf, verdicts: ["hosts", "sockets", "processes", "work"].map(verdictOf) }
}

describe("the doctor beside a host", () => {
  it("leaves one that lives or is stopped alone, and mends what a killed one has left (R19, R20)", () =>
    inFolder(async (scene) => {
      scene.put("agent.sh", agent)
      scene.write("jobs.jsonl", [{ n: 1 }])
      const host = scene.start("run", "jobs.jsonl", "--", "sh", "agent.sh")
      await scene.appeared("pids")
      const pid = Number(scene.lines("pids")[0])
      const socket = scene.path(".muster/fleet.db.hosts/1.sock")
      const isUntouched = () => host.child.exitCode === null && isAlive(pid) && existsSync(socket)

      const living = await examine(scene, "--fix")
      assert.deepStrictEqual(living.verdicts, ["ok", "ok", "ok", "ok"])
      assert.strictEqual(living.code, 0)
      assert.isTrue(isUntouched())

      host.child.kill("SIGSTOP")
      const stopped = await examine(scene, "--fix")
      assert.notInclude(stopped.verdicts, "bad")
      assert.notInclude(stopped.verdicts, "fixed")
      assert.isTrue(isUntouched())

      host.child.kill("SIGKILL")
      await once(host.child, "close")
      const before = await examine(scene)
      assert.deepStrictEqual(
        [before.code, before.verdictOf("hosts"), before.verdictOf("processes")],
        [7, "bad", "bad"]
      )
      assert.isTrue(isAlive(pid) && existsSync(socket), "without --fix nothing is touched")

      const mended = await examine(scene, "--fix")
      assert.deepStrictEqual(mended.verdicts, ["fixed", "fixed", "fixed", "warn"])
      assert.strictEqual(mended.code, 0)
      assert.isFalse(isAlive(pid) || existsSync(socket))
    }))
})
