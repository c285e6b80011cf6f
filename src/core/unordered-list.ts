// Items that come and go all the time, in no order. An array in which the last one fills the gap, not a Set: a Set that is
// added to and deleted from all the time leaves its outgrown tables behind in the old heap, where they keep what is over
// alive from one scavenge to the next. Measured with 64 deliveries in flight: 7 µs of garbage collection for each instead of 1.

/** `place` belongs to the list: where the item is in it, -1 while it is in none. */
export type ListItem = { place: number }

export class UnorderedList<Item extends ListItem> implements Iterable<Item> {
  readonly #items: Item[] = []

  get size(): number {
    return this.#items.length
  }

  add(item: Item): void {
    item.place = this.#items.push(item) - 1
  }

  /** It must be here. */
  remove(item: Item): void {
    const last = this.#items.pop()!
    if (last !== item) {
      this.#items[item.place] = last
      last.place = item.place
    }
    item.place = -1
  }

  /** As it is now: whoever looks at them may remove them. */
  [Symbol.iterator](): Iterator<Item> {
    return [...this.#items][Symbol.iterator]()
  }
}
