// A host that is stopped beyond its lease, as a real process over a real file: SIGSTOP, another host takes over, SIGCONT.
import { assert, describe, it } from "vitest"
import { type Host, inScene, isAlive } from "./LandingScene.ts"

const patience = 60_000

describe("a host that is frozen beyond its lease", () => {
  it(
    "writes nothing when it thaws, lands nothing, says that it was fenced, and leaves no process behind (R20)",
    () =>
      inScene(async ({ event, events, lines, start, submit, touch, until }) => {
        const first = await start()
        submit(1)
        submit(2)
        await until(() => lines("pids").length === 2)
        const agents = lines("pids").map(Number)

        first.freeze()
        // While its host is frozen, one agent ends well: its result waits in a pipe that nobody reads.
        touch("go-1")
        await until(() => agents.some((pid) => !isAlive(pid)))
        const second = await start()
        await event(({ event: name, job_id }) => name === "complete" && job_id.endsWith("-1"))
        await event(({ event: name, job_id }) => name === "complete" && job_id.endsWith("-2"))
        assert.deepStrictEqual(
          agents.filter(isAlive),
          [],
          "its processes were killed before its work began anew"
        )
        const before = events()

        first.thaw()
        assert.strictEqual(await first.ended, "ORCH_HOST_FENCED")
        assert.deepStrictEqual(events(), before, "nothing is written after it")
        assert.deepStrictEqual(
          lines("landed").map((line) => line.split(":").at(-1)),
          [String(second.host), String(second.host)],
          "each job has landed once, from the other host"
        )
        const lost = before.filter(({ transition_reason: reason }) => reason === "host_lost")
        assert.strictEqual(lost.length, 4, "two jobs and their agents")
        assert.isTrue(
          before.every(({ actor, sequence }) => actor !== "host:1" || sequence < (lost[0]?.sequence ?? 0))
        )
        await second.kill()
      }),
    patience
  )

  it(
    "goes on as if nothing had been when nobody has taken it for lost",
    () =>
      inScene(async ({ beatAt, event, events, lines, start, submit, touch, until }) => {
        const first: Host = await start()
        submit(1)
        await until(() => lines("pids").length === 1)
        first.freeze()
        touch("go-1")
        // longer than its lease, and nobody is there who could take over
        await until(() => Date.now() - beatAt() > 2_500)
        first.thaw()
        await event(({ event: name }) => name === "complete")
        assert.strictEqual(lines("landed").length, 1)
        assert.isTrue(events().every(({ transition_reason: reason }) => reason !== "host_lost"))
        await first.kill()
      }),
    patience
  )
})
