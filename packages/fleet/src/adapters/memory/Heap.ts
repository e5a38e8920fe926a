/** A binary heap whose items know their place, so that any of them can be taken out in O(log n). */
export class Heap<Item> {
  private readonly items: Array<Item> = []
  private readonly before: (a: Item, b: Item) => boolean
  private readonly placed: (item: Item, place: number) => void

  /** `before` orders the items; `placed` tells an item its place, -1 when it is out. */
  constructor(before: (a: Item, b: Item) => boolean, placed: (item: Item, place: number) => void) {
    this.before = before
    this.placed = placed
  }

  /** The first item is at 0, and the items after the one at `place` are at `2 * place + 1` and `+ 2`. */
  at(place: number): Item | undefined {
    return this.items[place]
  }

  push(item: Item): void {
    this.items.push(item)
    this.rise(item, this.items.length - 1)
  }

  pop(): Item | undefined {
    const first = this.items[0]
    if (first !== undefined) this.remove(0)
    return first
  }

  remove(place: number): void {
    const gone = this.items[place]
    const last = this.items.pop()
    if (gone === undefined || last === undefined) return
    this.placed(gone, -1)
    if (last === gone) return
    const parent = this.items[(place - 1) >> 1]
    if (place > 0 && parent !== undefined && this.before(last, parent)) this.rise(last, place)
    else this.sink(last, place)
  }

  /** Takes out all items that `leaves` is true of. Costs a look at each. */
  removeWhere(leaves: (item: Item) => boolean): ReadonlyArray<Item> {
    const gone = this.items.filter(leaves)
    if (gone.length === 0) return gone
    const stay = this.items.filter((item) => !leaves(item))
    this.items.length = 0
    for (const item of gone) this.placed(item, -1)
    for (const item of stay) this.push(item)
    return gone
  }

  private put(item: Item, place: number): void {
    this.items[place] = item
    this.placed(item, place)
  }

  private rise(item: Item, from: number): void {
    let place = from
    while (place > 0) {
      const above = (place - 1) >> 1
      const parent = this.items[above]
      if (parent === undefined || !this.before(item, parent)) break
      this.put(parent, place)
      place = above
    }
    this.put(item, place)
  }

  private sink(item: Item, from: number): void {
    let place = from
    while (true) {
      let below = 2 * place + 1
      let child = this.items[below]
      if (child === undefined) break
      const right = this.items[below + 1]
      if (right !== undefined && this.before(right, child)) {
        below += 1
        child = right
      }
      if (!this.before(child, item)) break
      this.put(child, place)
      place = below
    }
    this.put(item, place)
  }
}
