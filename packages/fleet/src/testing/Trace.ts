/**
 * The story of one run, line by line: acts, what goes wrong with the store, commits with their moves, what agents and plugins do. Kept only when
 * somebody wants to read it: a run is the same without it.
 */
export class Trace {
  readonly lines: Array<string> = []
  private readonly now: () => number
  readonly kept: boolean

  constructor(now: () => number, kept: boolean) {
    this.now = now
    this.kept = kept
  }

  /** `text` is asked for only where it is kept. */
  tell(who: string, text: () => string): void {
    if (this.kept) this.lines.push(`${String(this.now()).padStart(8)}  ${who.padEnd(9)} ${text()}`)
  }
}
