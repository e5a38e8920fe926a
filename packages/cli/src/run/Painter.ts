/**
 * Draws frames over each other at the bottom of a terminal. Each goes out in one write that overwrites line by line and erases only what is
 * left over, so that nothing flickers; talk goes above the frame and stays there.
 */
import { stripVTControlCharacters } from "node:util"
import { width } from "../output/Text.ts"

/** What the painter needs of a terminal's stream. */
export interface Screen {
  readonly columns: number
  readonly write: (text: string) => void
}

/** Terminals that know it show what stands between the two at once; others ignore them. */
const beginUpdate = "\u001b[?2026h"
const endUpdate = "\u001b[?2026l"
const eraseLineRest = "\u001b[K"
const eraseBelow = "\u001b[J"
const hideCursor = "\u001b[?25l"
const showCursor = "\u001b[?25h"

export class Painter {
  readonly #screen: Screen
  #frame: ReadonlyArray<string> = []

  constructor(screen: Screen) {
    this.#screen = screen
  }

  /** To the frame's first line, wherever a narrower terminal has wrapped it to. */
  #home(): string {
    const columns = Math.max(1, this.#screen.columns)
    const rowsOf = (line: string): number =>
      Math.max(1, Math.ceil(width(stripVTControlCharacters(line)) / columns))
    const rows = this.#frame.reduce((sum, line) => sum + rowsOf(line), 0)
    return rows === 0 ? "" : `\u001b[${rows}A\r`
  }

  #draw(above: string, frame: ReadonlyArray<string>): void {
    const talk = above === "" ? "" : above.replaceAll("\n", `${eraseLineRest}\n`)
    const lines = frame.map((line) => `${line}${eraseLineRest}\n`).join("")
    this.#screen.write(
      beginUpdate +
        (frame.length === 0 ? "" : hideCursor) +
        this.#home() +
        talk +
        lines +
        eraseBelow +
        endUpdate
    )
    this.#frame = frame
  }

  /** Replaces the frame. */
  paint(frame: string): void {
    this.#draw("", frame.split("\n"))
  }

  /** Writes text above the frame, where it stays; whole lines only. */
  talk(text: string): void {
    this.#draw(text.endsWith("\n") ? text : `${text}\n`, this.#frame)
  }

  /** Takes the frame away and gives the cursor back. */
  clear(): void {
    this.#draw("", [])
    this.#screen.write(showCursor)
  }
}
