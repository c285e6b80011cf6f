// A binary heap: the smallest item first. Plain array, no removal from the middle.

export class MinHeap<Item> {
  readonly #items: Item[] = []
  readonly #compare: (a: Item, b: Item) => number

  constructor(compare: (a: Item, b: Item) => number) {
    this.#compare = compare
  }

  get size(): number {
    return this.#items.length
  }

  peek(): Item | undefined {
    return this.#items[0]
  }

  push(item: Item): void {
    const items = this.#items
    let index = items.length
    while (index > 0) {
      const parent = (index - 1) >> 1
      if (this.#compare(item, items[parent]!) >= 0) break
      items[index] = items[parent]!
      index = parent
    }
    items[index] = item
  }

  pop(): Item | undefined {
    const items = this.#items
    const first = items[0]
    const last = items.pop()
    if (items.length === 0 || last === undefined) return first
    let index = 0
    for (let child = 1; child < items.length; child = 2 * index + 1) {
      if (child + 1 < items.length && this.#compare(items[child + 1]!, items[child]!) < 0) child++
      if (this.#compare(last, items[child]!) <= 0) break
      items[index] = items[child]!
      index = child
    }
    items[index] = last
    return first
  }
}
