// Hosts as processes of their own that are killed, or stopped in the middle of everything, while commands ask them.
import { readdirSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { inFolder, type Scene } from "../run/MusterProcess.ts"

const patience = 60_000

/** A host whose agent works until it is killed; resolves when its socket is there. */
const begun = async (scene: Scene) => {
  const jobs = scene.write("jobs.jsonl", [{ n: 1 }])
  const host = scene.start("run", jobs, "--slots", "1", "--json", "--", "sh", "-c", "exec sleep 600")
  await host.said('"event":')
  const looks = async (): Promise<void> => {
    const { out } = await scene.start("status", "--json").ended
    if (!out.includes('"source":"host"')) await looks()
  }
  await looks()
  return host
}

/** Events that are followed by a host's socket; one that a busy host hasn't greeted in time goes by the store from then on. */
const followed = async (scene: Scene) => {
  const follower = scene.start("events", "--follow", "--log-level", "debug")
  await follower.said("job submit")
  const hasHost = Promise.race([
    follower.told("hosts that answer: 1").then(() => true),
    follower.told("hosts that answer: none").then(() => false)
  ])
  if (await hasHost) return follower
  follower.child.kill("SIGINT")
  await follower.ended
  return followed(scene)
}

const sourceOf = async (scene: Scene): Promise<unknown> => {
  const { err, out } = await scene.start("status", "--json").ended
  const document: unknown = JSON.parse(out === "" ? err : out)
  return document
}

describe("a host", () => {
  it(
    "that is killed while its events are followed is missed aloud, and the following goes on by the store until it is interrupted: 0",
    { timeout: patience },
    () =>
      inFolder(async (scene) => {
        const host = await begun(scene)
        const follower = await followed(scene)
        await scene.start("submit", "-w", "other", '{"n":2}').ended
        await follower.said(/job submit[^]*job submit/)
        host.child.kill("SIGKILL")
        await host.ended
        assert.deepInclude(await sourceOf(scene), { source: "store" })
        // Somebody else writes what the follower must still hear.
        await scene.start("submit", "-w", "other", '{"n":3}').ended
        await follower.said(/job submit[^]*job submit[^]*job submit/)
        follower.child.kill("SIGINT")
        const { code, err } = await follower.ended
        assert.strictEqual(code, 0, err)
        assert.match(err, /Host 1 is gone/)
        // The next host clears away what this one has left.
        const next = await begun(scene)
        assert.deepStrictEqual(readdirSync(scene.path(".muster/fleet.db.hosts")), ["2.sock"])
        next.child.kill("SIGTERM")
        await next.ended
      })
  )

  it("that stops in order is followed on by the store as well", { timeout: patience }, () =>
    inFolder(async (scene) => {
      const host = await begun(scene)
      const follower = scene.start("events", "--follow", "--json")
      await follower.said('"event":"submit"')
      await scene.start("submit", "-w", "other", '{"n":2}').ended
      await follower.said('"sequence":6')
      host.child.kill("SIGTERM")
      await host.ended
      await scene.start("submit", "-w", "last", '{"n":3}').ended
      await follower.said(/("event":"submit"[^]*){3}/)
      follower.child.kill("SIGINT")
      assert.strictEqual((await follower.ended).code, 0)
    })
  )

  it("that is stopped is not waited for: the store answers", { timeout: patience }, () =>
    inFolder(async (scene) => {
      const host = await begun(scene)
      host.child.kill("SIGSTOP")
      try {
        assert.deepInclude(await sourceOf(scene), { source: "store" })
        assert.match((await scene.start("status").ended).out, /host 1 \(.*, doesn't answer\)/)
        const paused = await scene.start("pause", "--json").ended
        assert.strictEqual(paused.code, 0, paused.err)
        assert.deepInclude(JSON.parse(paused.out), { source: "store", mode: "paused" })
      } finally {
        host.child.kill("SIGCONT")
        host.child.kill("SIGTERM")
        await host.ended
      }
    })
  )
})
