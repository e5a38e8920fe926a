/**
 * A map of what came last, bounded: the oldest entry goes first.
 */
export class Recent<Value> {
  private readonly entries = new Map<string, Value>()
  private readonly most: number

  constructor(most: number) {
    this.most = most
  }

  set(key: string, value: Value): void {
    this.entries.delete(key)
    this.entries.set(key, value)
    if (this.entries.size <= this.most) return
    for (const oldest of this.entries.keys()) {
      this.entries.delete(oldest)
      break
    }
  }

  read(key: string): Value | undefined {
    return this.entries.get(key)
  }
}
