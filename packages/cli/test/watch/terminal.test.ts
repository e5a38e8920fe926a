import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { inFolder } from "../run/MusterProcess.ts"
import { hasTerminals, onTerminal } from "./Pty.ts"

const size = { columns: 80, rows: 24 }
const alternate = "\u001B[?1049h"
const primary = "\u001B[?1049l"
const showCursor = "\u001B[?25h"

/** The terminal is as it was: its first screen, its cursor, its lines and its echo. */
const restored = (out: string): void => {
  assert.include(out, alternate)
  assert.isAbove(out.lastIndexOf(primary), out.lastIndexOf(alternate))
  assert.isAbove(out.lastIndexOf(showCursor), out.lastIndexOf("\u001B[?25l"))
  const after = out.slice(out.indexOf("left with"))
  assert.match(after, /[^-]icanon/)
  assert.match(after, /[^-]echo /)
}

// Linux of any kind has it in its base system, and CI runs on Linux.
describe.skipIf(!hasTerminals)("muster watch on a terminal", () => {
  it("shows the store, answers keys, and leaves the terminal as it was", { timeout: 20_000 }, () =>
    inFolder(async ({ env, folder, start }) => {
      await start("submit", "-w", "crawl", '{"n":1}').ended
      const board = onTerminal(folder, env, "watch", size)
      await board.shown("no agent is at work")
      // only what has changed is sent: what is waited for must be new as a whole
      board.type("?")
      await board.shown("replay the dead letter")
      board.type("xq")
      const out = await board.ended
      assert.include(out, "left with 0")
      // NO_COLOR is set here
      assert.notMatch(out.replaceAll("\u001B", "ESC"), /ESC\[[0-9;]*m/)
      restored(out)
    })
  )

  it.each(["SIGTERM", "SIGHUP"] as const)(
    "leaves the terminal as it was on %s",
    { timeout: 20_000 },
    (signal) =>
      inFolder(async ({ env, folder, path, start }) => {
        await start("submit", "-w", "crawl", '{"n":1}').ended
        const board = onTerminal(folder, env, "watch", size)
        await board.shown("no agent is at work")
        process.kill(Number(readFileSync(path("pid"), "utf8")), signal)
        const out = await board.ended
        assert.include(out, alternate)
        restored(out)
      })
  )

  it("stands before the summary of a run, and stops it when asked", { timeout: 30_000 }, () =>
    inFolder(async ({ env, folder, write }) => {
      write("jobs.jsonl", [{ n: 1 }, { n: 2 }])
      const board = onTerminal(
        folder,
        env,
        'run jobs.jsonl -w slow -- sh -c "echo said by {n}; sleep 60"',
        size
      )
      await board.shown("said by 2")
      board.type("q")
      await board.shown("stop the run?")
      board.type("y")
      const out = await board.ended
      restored(out)
      assert.match(out.slice(out.lastIndexOf(primary)), /2 jobs in .*2 left/)
    })
  )

  it("hands back what runs when its terminal is closed", { timeout: 30_000 }, () =>
    inFolder(async ({ env, folder, path, start, write }) => {
      write("jobs.jsonl", [{ n: 1 }])
      const agent = String.raw`sh -c "echo \$\$ > agent; echo here; exec sleep 60"`
      const board = onTerminal(folder, env, `run jobs.jsonl -- ${agent}`, size)
      await board.shown("here")
      process.kill(Number(readFileSync(path("pid"), "utf8")), "SIGHUP")
      await board.ended
      const { out } = await start("events", "--json").ended
      assert.match(out, /"event":"abandon".*host_shutdown/)
      assert.throws(() => process.kill(Number(readFileSync(path("agent"), "utf8")), 0), /ESRCH/)
    })
  )
})
