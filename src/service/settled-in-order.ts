// Many operations at once, so that they share commits, but those on one timer one after the other: a batch that updates
// a timer and then cancels it means that order.

/** `keyOf`: whose turn it is to wait for. */
export type InOrder<Item, Result> = {
  readonly keyOf: (item: Item) => string
  readonly run: (item: Item) => Promise<Result>
}

/** Each has its own outcome, in the order of the items: one that fails does not stop the others. */
export function settledInOrder<Item, Result>(
  items: readonly Item[],
  { keyOf, run }: InOrder<Item, Result>,
): Promise<PromiseSettledResult<Result>[]> {
  const last = new Map<string, Promise<Result>>()
  const running = items.map((item) => {
    const key = keyOf(item)
    const result =
      last.get(key)?.then(
        () => run(item),
        () => run(item),
      ) ?? run(item)
    last.set(key, result)
    return result
  })
  return Promise.allSettled(running)
}

/** Some have to wait for others. */
export function hasRepeats<Item>(items: readonly Item[], { keyOf }: Pick<InOrder<Item, unknown>, 'keyOf'>): boolean {
  return new Set(items.map(keyOf)).size < items.length
}
