/**
 * What a key does: a new state, and what it asks of the world.
 */
import type { BoardCommand } from "./BoardCommand.ts"
import { type BoardState, paneNames, say } from "./BoardState.ts"
import { modeOf, shortId } from "./FleetLook.ts"
import { rowsOf } from "./Layout.ts"
import * as LogView from "./LogView.ts"
import { choiceOf, moved } from "./Selection.ts"

/** A key by its name; a printable one by its character. */
export interface Key {
  readonly name:
    | "character"
    | "up"
    | "down"
    | "left"
    | "right"
    | "pageup"
    | "pagedown"
    | "home"
    | "end"
    | "enter"
    | "escape"
    | "tab"
    | "backtab"
    | "backspace"
  /** Of `character` alone; else empty. */
  readonly text: string
  readonly ctrl: boolean
}

export interface Pressed {
  readonly state: BoardState
  /** Null: nothing. */
  readonly command: BoardCommand | null
}

const only = (state: BoardState): Pressed => ({ state, command: null })

const largestSlots = 10_000
const longestInput = 200

const typed = (state: BoardState, key: Key): Pressed => {
  const { input } = state
  if (input === null) return only(state)
  const withText = (text: string): BoardState => {
    const next = { ...state, input: { ...input, text } }
    if (input.kind === "filter") return { ...next, filter: text }
    return { ...next, log: state.log === null ? null : { ...state.log, search: text } }
  }
  switch (key.name) {
    case "character":
      return only(
        key.ctrl
          ? key.text === "u"
            ? withText("")
            : state
          : withText((input.text + key.text).slice(0, longestInput))
      )
    case "backspace":
      return only(
        input.text === "" ? { ...state, input: null } : withText(Array.from(input.text).slice(0, -1).join(""))
      )
    case "enter": {
      const { log } = state
      const isSearch = input.kind === "search" && log !== null
      return only({ ...state, input: null, log: isSearch ? LogView.found(log, -1) : log })
    }
    case "escape":
      return only({ ...withText(""), input: null })
    default:
      return only(state)
  }
}

const answered = (state: BoardState, key: Key): Pressed => {
  const { question } = state
  const isYes = key.name === "character" && key.text.toLowerCase() === "y"
  return { state: { ...state, question: null }, command: isYes ? (question?.command ?? null) : null }
}

const scaledBy = (state: BoardState, step: number): BoardState => {
  const { look, pane, scaling } = state
  if (scaling !== null)
    return {
      ...state,
      scaling: { ...scaling, slots: Math.max(1, Math.min(scaling.slots + step, largestSlots)) }
    }
  const chosen = pane === "hosts" ? choiceOf(state, "hosts").entry : null
  const hosts = look?.hosts.filter(({ beating }) => beating) ?? []
  const host = hosts.find((one) => String(one.host) === chosen?.id) ?? hosts[0]
  if (host === undefined || host.slots === null)
    return say(state, "no host is running that could have more or fewer slots", "waiting")
  const before = host.slots
  return {
    ...state,
    scaling: { host: chosen === null ? null : host.host, before, slots: Math.max(1, before + step) }
  }
}

const scaled = (state: BoardState, key: Key): Pressed => {
  const { scaling } = state
  if (scaling === null) return only(state)
  if (key.text === "+" || key.text === "=" || key.name === "up") return only(scaledBy(state, 1))
  if (key.text === "-" || key.name === "down") return only(scaledBy(state, -1))
  const over = { ...state, scaling: null }
  return {
    state: over,
    command:
      key.name === "enter" && scaling.slots !== scaling.before
        ? { _tag: "Scale", host: scaling.host, slots: scaling.slots }
        : null
  }
}

const asked = (state: BoardState, text: string, command: BoardCommand): Pressed =>
  only({ ...state, question: { text, command } })

const cancelled = (state: BoardState, jobId: string | null): Pressed => {
  if (jobId === null) return only(say(state, "choose a job first", "waiting"))
  return asked(state, `cancel job ${shortId(jobId)}?`, { _tag: "Cancel", jobId })
}

const quit = (state: BoardState): Pressed =>
  state.quits === "board"
    ? { state, command: { _tag: "Quit" } }
    : asked(state, "stop the run? what runs is handed back", { _tag: "Quit" })

const opened = (state: BoardState): Pressed => {
  const { entry } = choiceOf(state, state.pane)
  if (entry === null) return only(state)
  if (entry.jobId !== null) {
    const log = { jobId: entry.jobId, lines: [], isFollowing: true, top: 0, search: "", isOver: false }
    return { state: { ...state, log }, command: { _tag: "OpenLog", jobId: entry.jobId } }
  }
  // a lane's id is its priority and its workflow
  return state.pane === "queue"
    ? only({ ...state, filter: entry.id.slice(entry.id.indexOf("/") + 1) })
    : only(state)
}

const onLog = (state: BoardState, key: Key): Pressed => {
  const { log } = state
  if (log === null) return only(state)
  const by = (step: number): Pressed => only({ ...state, log: LogView.scrolled(state, log, step) })
  const page = LogView.pageOf(state)
  switch (key.name === "character" ? key.text : key.name) {
    case "q":
    case "h":
    case "left":
    case "escape":
      return log.search !== "" && key.name === "escape"
        ? only({ ...state, log: { ...log, search: "" } })
        : { state: { ...state, log: null }, command: { _tag: "CloseLog" } }
    case "up":
    case "k":
      return by(-1)
    case "down":
    case "j":
      return by(1)
    case "pageup":
    case "b":
      return by(-page)
    case "pagedown":
    case " ":
      return by(page)
    case "home":
    case "g":
      return by(Number.NEGATIVE_INFINITY)
    case "end":
    case "G":
      return by(Number.POSITIVE_INFINITY)
    case "f":
      return log.isFollowing ? by(-1) : by(Number.POSITIVE_INFINITY)
    case "/":
      return only({ ...state, input: { kind: "search", text: "" }, log: { ...log, search: "" } })
    case "n":
      return only({ ...state, log: LogView.found(log, 1) })
    case "N":
      return only({ ...state, log: LogView.found(log, -1) })
    case "c":
      return cancelled(state, log.jobId)
    case "?":
      return only({ ...state, isHelp: true })
    default:
      return only(state)
  }
}

const toPane = (state: BoardState, step: 1 | -1): Pressed => {
  const at = paneNames.indexOf(state.pane) + step + paneNames.length
  return only({ ...state, pane: paneNames[at % paneNames.length] ?? "agents" })
}

const onPanes = (state: BoardState, key: Key): Pressed => {
  const page = Math.max(1, rowsOf(state, state.pane) - 1)
  const { entry } = choiceOf(state, state.pane)
  switch (key.name === "character" ? key.text : key.name) {
    case "up":
    case "k":
      return only(moved(state, -1))
    case "down":
    case "j":
      return only(moved(state, 1))
    case "pageup":
      return only(moved(state, -page))
    case "pagedown":
    case " ":
      return only(moved(state, page))
    case "home":
    case "g":
      return only(moved(state, Number.NEGATIVE_INFINITY))
    case "end":
    case "G":
      return only(moved(state, Number.POSITIVE_INFINITY))
    case "tab":
      return toPane(state, 1)
    case "backtab":
      return toPane(state, -1)
    case "1":
    case "2":
    case "3":
    case "4":
    case "5":
    case "6":
      return only({ ...state, pane: paneNames[Number(key.text) - 1] ?? state.pane })
    case "enter":
    case "l":
    case "right":
      return opened(state)
    case "escape":
    case "left":
      return only({ ...state, filter: "" })
    case "/":
      return only({ ...state, input: { kind: "filter", text: state.filter } })
    case "?":
      return only({ ...state, isHelp: true })
    case "c":
      return cancelled(state, entry?.jobId ?? null)
    case "r":
      return state.pane === "letters" && entry?.jobId != null
        ? asked(state, `replay job ${shortId(entry.jobId)} as a new one?`, {
            _tag: "Replay",
            jobId: entry.jobId
          })
        : only(say(state, "choose a dead letter first (4)", "waiting"))
    case "p":
      return state.look !== null && modeOf(state.look) === "paused"
        ? { state, command: { _tag: "Resume" } }
        : asked(state, "pause all hosts? what runs goes on", { _tag: "Pause" })
    case "+":
    case "=":
      return only(scaledBy(state, 1))
    case "-":
      return only(scaledBy(state, -1))
    case "q":
      return quit(state)
    default:
      return only(state)
  }
}

/** Takes a key. */
export const press = (state: BoardState, key: Key): Pressed => {
  if (key.ctrl && key.name === "character") {
    if (key.text === "c") return { state, command: { _tag: "Quit" } }
    if (key.text === "z") return { state, command: { _tag: "Suspend" } }
    if (key.text === "l") return { state, command: { _tag: "Redraw" } }
    return state.input === null ? only(state) : typed(state, key)
  }
  if (state.question !== null) return answered(state, key)
  if (state.input !== null) return typed(state, key)
  if (state.scaling !== null) return scaled(state, key)
  if (state.isHelp) return only({ ...state, isHelp: false })
  return state.log === null ? onPanes(state, key) : onLog(state, key)
}
