// As much of a terminal as the board needs, to see what people see.

const escape = "\u001b"
const tokens = new RegExp(`${escape}\\[(?:(\\d+)A|\\??\\d*[a-zA-Z])|[\\s\\S]`, "g")

/** As much of a terminal as the painter uses: text, line feed, return, up, erase; lines wrap as terminals wrap them. */
export class Terminal {
  columns: number
  rows = 24
  writes = 0
  cursorShown = true
  #rows: Array<string> = [""]
  #row = 0
  #column = 0

  constructor(columns: number) {
    this.columns = columns
  }

  get text(): string {
    return this.#rows
      .map((row) => row.trimEnd())
      .join("\n")
      .trimEnd()
  }

  /** As a terminal does that wraps what no longer fits. */
  narrow(columns: number): void {
    this.columns = columns
    const rows = this.#rows.flatMap((row) => row.trimEnd().match(new RegExp(`.{1,${columns}}`, "g")) ?? [""])
    this.#row = rows.length - 1
    this.#rows = rows
  }

  write(text: string): boolean {
    this.writes++
    for (const [token, up] of text.matchAll(tokens)) this.#take(token, up)
    return true
  }

  #take(token: string, up: string | undefined): void {
    const line = this.#rows[this.#row] ?? ""
    if (up !== undefined) this.#row = Math.max(0, this.#row - Number(up))
    else if (token === "\r") this.#column = 0
    else if (token === "\n") {
      this.#row++
      this.#column = 0
      this.#rows[this.#row] ??= ""
    } else if (token === "\u001b[K") this.#rows[this.#row] = line.slice(0, this.#column)
    else if (token === "\u001b[J") {
      this.#rows.length = this.#row + 1
      this.#rows[this.#row] = line.slice(0, this.#column)
    } else if (token === "\u001b[?25l") this.cursorShown = false
    else if (token === "\u001b[?25h") this.cursorShown = true
    else if (!token.startsWith("\u001b")) {
      this.#rows[this.#row] =
        line.slice(0, this.#column).padEnd(this.#column) + token + line.slice(this.#column + 1)
      this.#column++
    }
  }
}
