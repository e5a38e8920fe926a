/** Things that are numbered from 1 in order of arrival; a number is used once, also when its thing is gone. */
export class Shelf<Item> {
  private readonly items: Array<Item | undefined> = [undefined]

  /** The number of the last thing ever put here; 0 for none. */
  get last(): number {
    return this.items.length - 1
  }

  get(number: number): Item | undefined {
    return this.items[number]
  }

  add(item: Item): number {
    return this.items.push(item) - 1
  }

  /** Puts it at its number, which may be the next one. */
  replace(number: number, item: Item): void {
    this.items[number] = item
  }

  /** Everything that is here, ascending. */
  all(): Array<Item> {
    return this.page(0, Number.POSITIVE_INFINITY)
  }

  /** Fills an empty shelf; `last` is the last number that was ever used. */
  fill(last: number, items: ReadonlyArray<Item>, numberOf: (item: Item) => number): void {
    this.items.length = last + 1
    for (const item of items) this.items[numberOf(item)] = item
  }

  remove(number: number): void {
    this.items[number] = undefined
  }

  /** Ascending after `after`, at most `limit`, those that `keep` is true of. */
  page(after: number, limit: number, keep: (item: Item) => boolean = () => true): Array<Item> {
    const found: Array<Item> = []
    for (let number = after + 1; number < this.items.length && found.length < limit; number++) {
      const item = this.items[number]
      if (item !== undefined && keep(item)) found.push(item)
    }
    return found
  }

  /** Descending before `before` (0: from the end), at most `limit`, those that `keep` is true of. */
  pageBack(before: number, limit: number, keep: (item: Item) => boolean = () => true): Array<Item> {
    const found: Array<Item> = []
    const from = before === 0 ? this.last : Math.min(before - 1, this.last)
    for (let number = from; number > 0 && found.length < limit; number--) {
      const item = this.items[number]
      if (item !== undefined && keep(item)) found.push(item)
    }
    return found
  }

  /** The things with these numbers. */
  pick(numbers: Iterable<number>): Array<Item> {
    const found: Array<Item> = []
    for (const number of numbers) {
      const item = this.items[number]
      if (item !== undefined) found.push(item)
    }
    return found
  }
}
