// What programs print, kept by a real host: without secrets, raw in the file, harmless on a terminal, there after a kill -9.
import { once } from "node:events"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { inFolder, type Scene } from "./MusterProcess.ts"

const secret = "hush-hush-hush"

const kept = ({ path }: Scene): string => {
  const folder = path(".muster/fleet.db.logs")
  if (!existsSync(folder)) return ""
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .join("")
}

/** Resolves when it is kept. */
const isKept = async (scene: Scene, text: string): Promise<void> => {
  if (kept(scene).includes(text)) return
  await new Promise((resolve) => setImmediate(resolve))
  await isKept(scene, text)
}

describe("the lines of programs", () => {
  it("are kept without the secrets of the environment, and can't paint the screen (R36)", () =>
    inFolder(async (scene) => {
      scene.put(
        "agent.sh",
        String.raw`echo "the key is $SOME_API_KEY"
printf 'a \033[2J\033]0;owned\007 line\n' >&2
echo "{\"type\":\"progress\",\"message\":\"using $SOME_API_KEY\"}"
echo '{"type":"result","value":1}'
`
      )
      scene.write("jobs.jsonl", [{ n: 1 }])
      const run = scene.startWith({ SOME_API_KEY: secret }, ["run", "jobs.jsonl", "--", "sh", "agent.sh"])
      assert.strictEqual((await run.ended).code, 0)
      assert.notInclude(kept(scene), secret)
      assert.include(kept(scene), String.raw`\u001b[2J`)
      const { out } = await scene.start("logs", "1").ended
      const texts = out.split("\n").map((line) => line.slice(10))
      assert.includeMembers(texts, [
        "stdout    the key is [redacted]",
        String.raw`stderr    a \x1b[2J\x1b]0;owned\x07 line`,
        "progress  using [redacted]"
      ])
      assert.isFalse(out.includes("\u001B") || out.includes("owned\u0007"))
    }))

  it("outlive a host that is killed, and the next one goes on below them", () =>
    inFolder(async (scene) => {
      scene.put(
        "agent.sh",
        `echo "life $MUSTER_INCARNATION"\n[ "$MUSTER_INCARNATION" = 1 ] && sleep 600\nexit 0\n`
      )
      scene.write("jobs.jsonl", [{ n: 1 }])
      const args = ["run", "jobs.jsonl", "--", "sh", "agent.sh"] as const
      const host = scene.start(...args)
      await isKept(scene, "life 1")
      host.child.kill("SIGKILL")
      await once(host.child, "close")
      assert.strictEqual((await scene.start(...args).ended).code, 0)
      const { out } = await scene.start("logs", "1").ended
      const texts = out
        .trimEnd()
        .split("\n")
        .map((line) => line.replace(/^[\d:]+ +/, ""))
      assert.deepStrictEqual(texts, ["stdout    life 1", "life 2", "stdout    life 2"])
    }))
})
