/**
 * A list of whole numbers that grows, 4 bytes each: a search keeps millions.
 */
export class Column {
  length = 0
  private cells: Int32Array

  constructor(capacity = 1 << 12) {
    this.cells = new Int32Array(capacity)
  }

  push(value: number): void {
    if (this.length === this.cells.length) {
      const wider = new Int32Array(this.cells.length * 2)
      wider.set(this.cells)
      this.cells = wider
    }
    this.cells[this.length] = value
    this.length++
  }

  /** 0 where there is none. */
  at(index: number): number {
    return this.cells[index] ?? 0
  }
}
