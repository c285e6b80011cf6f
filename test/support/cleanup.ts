// What a test made is undone when it is over, the last thing first: the service before the directory it writes to.
// `t.after` alone would undo the first thing first.

import type { TestContext } from 'node:test'

const stacks = new WeakMap<TestContext, AsyncDisposableStack>()

export function cleanUp(t: TestContext, undo: () => unknown): void {
  let stack = stacks.get(t)
  if (stack === undefined) {
    const made = new AsyncDisposableStack()
    stacks.set(t, (stack = made))
    t.after(() => made.disposeAsync())
  }
  stack.defer(async () => void (await undo()))
}
