import { assert, describe, it } from "@effect/vitest"
import { type BoardState, takeLines, takeLook } from "../../src/watch/BoardState.ts"
import { frameText } from "../../src/watch/frame.ts"
import { type Key, press } from "../../src/watch/Keys.ts"
import { choiceOf, settled } from "../../src/watch/Selection.ts"
import { boardOf, fleetOf, now } from "./Fleets.ts"

const named = [
  "up",
  "down",
  "left",
  "right",
  "pageup",
  "pagedown",
  "home",
  "end",
  "enter",
  "escape",
  "tab",
  "backtab",
  "backspace"
] as const

/** `down`, `ctrl-c`, or what is typed. */
const keysOf = (typed: string): ReadonlyArray<Key> => {
  const name = named.find((one) => one === typed)
  if (name !== undefined) return [{ name, text: "", ctrl: false }]
  if (typed.startsWith("ctrl-")) return [{ name: "character", text: typed.slice(5), ctrl: true }]
  return Array.from(typed, (text) => ({ name: "character", text, ctrl: false }))
}

/** The board after these keys, and what they asked for. */
const after = (board: BoardState, ...typed: ReadonlyArray<string>) => {
  let state = settled(board)
  const commands = []
  for (const key of typed.flatMap(keysOf)) {
    const pressed = press(state, key)
    state = settled(pressed.state)
    if (pressed.command !== null) commands.push(pressed.command)
  }
  return { state, commands, text: frameText(state) }
}

const board = boardOf(fleetOf(30), 80, 24)
const chosenOf = (state: BoardState) => choiceOf(state, state.pane).entry?.jobId

describe("the board's keys", () => {
  it("choose a row, which stays chosen while others come and go", () => {
    const { state } = after(board, "down", "j", "down", "k")
    assert.strictEqual(chosenOf(state), "k3x9qa-1003")
    const look = fleetOf(30)
    const fewer = takeLook(state, { ...look, agents: look.agents.slice(2) }, now)
    assert.strictEqual(chosenOf(settled(fewer)), "k3x9qa-1003")
  })

  it("choose whoever comes into the row of one that has gone", () => {
    const { state } = after(board, "down", "down")
    const look = fleetOf(30)
    const gone = settled(takeLook(state, { ...look, agents: look.agents.filter((_, at) => at !== 2) }, now))
    assert.strictEqual(chosenOf(gone), "k3x9qa-1004")
  })

  it("scroll so that the chosen row is in sight", () => {
    assert.include(after(board, "end").text, "▸1030")
    assert.match(after(board, "end").text, /1[0-9]–30 of 30/)
    assert.include(after(board, "end", "home").text, "▸1001")
    assert.include(after(board, "pagedown", "pagedown", "pageup", "g").text, "▸1001")
  })

  it("cancel only what was chosen when it was asked for, and only after a yes", () => {
    const asked = after(board, "down", "c")
    assert.match(asked.text, /cancel job 1002\? y\/n$/)
    assert.deepStrictEqual(after(asked.state, "n").commands, [])
    assert.deepStrictEqual(after(asked.state, "enter").commands, [])
    const look = fleetOf(30)
    const moved = takeLook(asked.state, { ...look, agents: look.agents.slice(5) }, now)
    assert.deepStrictEqual(after(moved, "y").commands, [{ _tag: "Cancel", jobId: "k3x9qa-1002" }])
  })

  it("pause after a yes, and resume at once", () => {
    assert.deepStrictEqual(after(board, "p").commands, [])
    assert.deepStrictEqual(after(board, "p", "y").commands, [{ _tag: "Pause" }])
    const pause = {
      kind: "pause",
      host: null,
      actor: "operator:ada",
      since: now - 9_000,
      reason: "lunch"
    } as const
    const paused = takeLook(board, { ...fleetOf(4), wishes: [pause] }, now)
    assert.match(after(paused).text, /paused: all hosts for 9s, by operator:ada: lunch/)
    assert.deepStrictEqual(after(paused, "p").commands, [{ _tag: "Resume" }])
  })

  it("set slots once, however often plus is pressed", () => {
    const set = after(board, "+++-")
    assert.match(set.text, /each host's slots: 30 → 32/)
    assert.deepStrictEqual(set.commands, [])
    assert.deepStrictEqual(after(set.state, "enter").commands, [{ _tag: "Scale", host: null, slots: 32 }])
    assert.deepStrictEqual(
      after(set.state, "escape", "enter").commands.filter(({ _tag }) => _tag === "Scale"),
      []
    )
    assert.deepStrictEqual(after(board, "6", "-", "enter").commands, [{ _tag: "Scale", host: 3, slots: 29 }])
  })

  it("replay a dead letter, in its pane alone", () => {
    assert.deepStrictEqual(after(board, "4", "r", "y").commands, [{ _tag: "Replay", jobId: "k3x9qa-640" }])
    assert.deepStrictEqual(after(board, "r", "y").commands, [])
    assert.match(after(board, "r").text, /choose a dead letter first/)
  })

  it("go from pane to pane, both ways and by number", () => {
    assert.strictEqual(after(board, "tab", "tab").state.pane, "retries")
    assert.strictEqual(after(board, "backtab").state.pane, "hosts")
    assert.strictEqual(after(board, "5").state.pane, "holds")
  })

  it("filter rows as they are typed, until escape", () => {
    const filtered = after(board, "/", "1029")
    assert.match(filtered.text, /filter 1029█$/)
    assert.deepStrictEqual(choiceOf(filtered.state, "agents").entry?.jobId, "k3x9qa-1029")
    assert.match(after(filtered.state, "x").text, /no agent matches "1029x"/)
    assert.strictEqual(after(filtered.state, "enter").state.filter, "1029")
    assert.strictEqual(after(filtered.state, "enter", "escape").state.filter, "")
    assert.strictEqual(after(board, "/", "ab", "backspace").state.filter, "a")
  })

  it("show one workflow alone from its lane", () => {
    assert.strictEqual(after(board, "2", "enter").state.filter, "crawl")
  })

  it("open a log, which follows its end until its reader leaves it", () => {
    const opened = after(board, "down", "enter")
    assert.deepStrictEqual(opened.commands, [{ _tag: "OpenLog", jobId: "k3x9qa-1002" }])
    const lines = (from: number) =>
      Array.from(
        { length: 100 },
        (_, at) => ({ at: now, source: "stdout", text: `line ${from + at}.` }) as const
      )
    const told = takeLines(opened.state, "k3x9qa-1002", lines(0))
    assert.include(frameText(told), "line 99.")
    const back = after(told, "pageup")
    assert.notInclude(back.text, "line 99.")
    assert.strictEqual(
      after(takeLines(back.state, "k3x9qa-1002", lines(100))).text,
      back.text.replace("of 100", "of 200")
    )
    assert.include(after(takeLines(back.state, "k3x9qa-1002", lines(100)), "G").text, "line 199.")
    assert.include(after(told, "/", "LINE 42", "enter").text, "12:00:00 line 42.")
    assert.strictEqual(takeLines(told, "another", lines(0)), told)
    const left = after(told, "q")
    assert.deepStrictEqual([left.state.log, left.commands], [null, [{ _tag: "CloseLog" }]])
  })

  it("quit at once, and a run only after a yes; ctrl-c never asks", () => {
    assert.deepStrictEqual(after(board, "q").commands, [{ _tag: "Quit" }])
    const run: BoardState = { ...board, quits: "run" }
    assert.deepStrictEqual(after(run, "q").commands, [])
    assert.deepStrictEqual(after(run, "q", "y").commands, [{ _tag: "Quit" }])
    for (const where of [[], ["/"], ["c"], ["enter"], ["?"], ["+"]])
      assert.deepInclude(after(run, ...where, "ctrl-c").commands, { _tag: "Quit" })
    assert.deepStrictEqual(after(board, "ctrl-z", "ctrl-l").commands, [
      { _tag: "Suspend" },
      { _tag: "Redraw" }
    ])
  })

  it("are listed by ?, and any key leaves the list", () => {
    assert.include(after(board, "?").text, "replay the dead letter that is chosen")
    assert.isFalse(after(board, "?", "x").state.isHelp)
  })
})
