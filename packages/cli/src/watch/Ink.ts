/**
 * Lines on a terminal, by ink: its alternate screen, its differences between frames, its keys. Everything that is decided is decided
 * elsewhere; this file alone knows ink and React, and is packed as a file of its own with both inside.
 */
import { Box, type Key as InkKey, render, Text, useApp, useInput } from "ink"
import { createElement, memo, type ReactElement } from "react"
import type { Line, Tone } from "./Cells.ts"
import type { Key } from "./Keys.ts"

interface Look {
  readonly color?: string
  readonly bold?: boolean
  readonly dimColor?: boolean
  readonly inverse?: boolean
}

const looks: Readonly<Record<Tone, Look>> = {
  plain: {},
  title: { bold: true },
  faint: { dimColor: true },
  good: { color: "green" },
  busy: { color: "cyan" },
  waiting: { color: "yellow" },
  bad: { color: "red" },
  chosen: { inverse: true }
}

interface RowProps {
  readonly line: Line
  readonly color: boolean
}

const textOf = (line: Line): string => line.map(({ text }) => text).join("")

/** One row of the screen. A text without a character would be no row. */
const Row = memo(
  ({ color, line }: RowProps): ReactElement => {
    const text = textOf(line)
    if (text === "") return createElement(Text, null, " ")
    if (!color) return createElement(Text, { wrap: "truncate" }, text)
    const spans = line.map((span, index) =>
      createElement(Text, { key: index, ...looks[span.tone] }, span.text)
    )
    return createElement(Text, { wrap: "truncate" }, spans)
  },
  (before, after) =>
    before.color === after.color &&
    before.line.length === after.line.length &&
    before.line.every(({ text, tone }, at) => text === after.line[at]?.text && tone === after.line[at]?.tone)
)

const nameOf = (key: InkKey): Key["name"] | null => {
  if (key.upArrow) return "up"
  if (key.downArrow) return "down"
  if (key.leftArrow) return "left"
  if (key.rightArrow) return "right"
  if (key.pageUp) return "pageup"
  if (key.pageDown) return "pagedown"
  if (key.home) return "home"
  if (key.end) return "end"
  if (key.return) return "enter"
  if (key.escape) return "escape"
  if (key.tab) return key.shift ? "backtab" : "tab"
  return key.backspace || key.delete ? "backspace" : null
}

const named = (name: Key["name"]): Key => ({ name, text: "", ctrl: false })

/** A character that came among others, as it does when keys are typed fast. */
const typed = (text: string): Key => {
  if (text === "\r" || text === "\n") return named("enter")
  if (text === "\t") return named("tab")
  if (text === "\b" || text === "\u007F") return named("backspace")
  if (text === "\u001B") return named("escape")
  return text < " "
    ? { name: "character", text: String.fromCharCode(text.charCodeAt(0) + 96), ctrl: true }
    : { name: "character", text, ctrl: false }
}

/** What ink hands over at once may be several keys that were typed fast, or a paste. */
const keysOf = (input: string, key: InkKey): ReadonlyArray<Key> => {
  const name = nameOf(key)
  if (name !== null) return [{ name, text: "", ctrl: key.ctrl }]
  const [first, ...more] = Array.from(input, typed)
  if (first === undefined) return []
  return more.length === 0 ? [{ ...first, ctrl: first.ctrl || key.ctrl }] : [first, ...more]
}

interface AppProps {
  readonly lines: ReadonlyArray<Line>
  readonly color: boolean
  readonly hasKeys: boolean
  readonly onKey: (key: Key) => void
  readonly onApp: (app: ReturnType<typeof useApp>) => void
}

const App = ({ color, hasKeys, lines, onApp, onKey }: AppProps): ReactElement => {
  onApp(useApp())
  useInput(
    (input, key) => {
      for (const one of keysOf(input, key)) onKey(one)
    },
    { isActive: hasKeys }
  )
  const rows = lines.map((line, index) => createElement(Row, { key: index, line, color }))
  return createElement(Box, { flexDirection: "column", height: lines.length, overflow: "hidden" }, rows)
}

export interface InkOptions {
  readonly stdout: NodeJS.WriteStream
  readonly stdin: NodeJS.ReadStream
  readonly color: boolean
  readonly hasKeys: boolean
  readonly onKey: (key: Key) => void
}

export interface InkScreen {
  /** Shows these lines, one a row. */
  readonly paint: (lines: ReadonlyArray<Line>) => void
  /** Draws the whole screen anew with the next frame. */
  readonly clear: () => void
  /** Gives the terminal back while `during` goes on, and takes it again. */
  readonly suspend: (during: () => Promise<void>) => Promise<void>
  /** Gives the terminal back for good. */
  readonly close: () => Promise<void>
}

/** Frames a second at most. */
const maxFps = 30

/** Takes the terminal. */
export const open = (options: InkOptions): InkScreen => {
  const { color, hasKeys, onKey, stdin, stdout } = options
  let app: ReturnType<typeof useApp> | null = null
  const element = (lines: ReadonlyArray<Line>): ReactElement =>
    createElement(App, {
      lines,
      color,
      hasKeys,
      onKey,
      onApp: (given) => {
        app = given
      }
    })
  const instance = render(element([]), {
    stdout,
    stdin,
    alternateScreen: true,
    incrementalRendering: true,
    interactive: true,
    exitOnCtrlC: false,
    patchConsole: false,
    maxFps
  })
  return {
    paint: (lines) => instance.rerender(element(lines)),
    clear: () => instance.clear(),
    suspend: (during) => (app === null ? during() : app.suspendTerminal(during)),
    close: async () => {
      instance.unmount()
      // a terminal that has gone is given back already
      await instance.waitUntilExit().catch(() => undefined)
    }
  }
}
