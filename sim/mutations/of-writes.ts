// Bugs in what is written, held in memory and fired.

import type { Mutation } from './mutation.ts'

export const MUTATIONS_OF_WRITES: readonly Mutation[] = [
  {
    name: 'a change is acknowledged before it is committed',
    promise: 'durable',
    changes: [
      {
        file: 'src/engine/commit/owned-rows.ts',
        from: 'if (outbox === undefined && split === null) commits.add(held)',
        to: "if (outbox === undefined && split === null) { held.ended({ type: 'written' }); commits.write(id, epoch, { before, after }).catch(() => {}) }",
      },
    ],
  },
  {
    name: 'a commit that the fence refused is taken for written',
    promise: 'durable',
    changes: [
      {
        file: 'src/engine/commit/owned-rows.ts',
        from: "if (result.type === 'fenced') throw notOwner()\n      if (result.type === 'written') window.apply(after)\n      return result",
        to: "if (result.type === 'missed') return result\n      window.apply(after)\n      return { type: 'written' }",
      },
    ],
  },
  {
    name: 'a cancel is done in memory only',
    promise: 'final',
    changes: [
      {
        file: 'src/engine/commit/owned-rows.ts',
        from: 'if (outbox === undefined && split === null) commits.add(held)',
        to: "if (after.status === 'canceled') held.ended({ type: 'written' })\n    else if (outbox === undefined && split === null) commits.add(held)",
      },
    ],
  },
  {
    name: 'a timer fires while its change is on its way to the store',
    promise: 'final',
    changes: [
      {
        file: 'src/engine/delivery/in-flight-deliveries.ts',
        from: 'if (holds.has(entry.uuid)) {',
        to: 'if (holds.has(entry.uuid) && entry.uuid === "") {',
      },
      {
        file: 'src/engine/shard.ts',
        from: 'if (this.#holds.has(entry.uuid)) window.hold(entry)',
        to: "if (entry.uuid === '') window.hold(entry)",
      },
    ],
  },
  {
    name: 'a held timer is never put back',
    promise: 'lost',
    changes: [
      {
        file: 'src/engine/window/window-keeper.ts',
        from: "if (entry?.state === 'held') this.putBack(entry)",
        to: "if (entry?.state === 'in-flight') this.putBack(entry)",
      },
    ],
  },
  {
    name: 'nobody finds out what became of a write whose answer was lost',
    promise: 'final',
    changes: [
      {
        file: 'src/engine/commit/owned-rows.ts',
        from: 'if (error instanceof StoreError && error.outcomeUnknown) void this.#findOut(after)',
        to: '',
      },
    ],
  },
  {
    name: 'a stale read is applied over a newer write',
    promise: 'final',
    changes: [{ file: 'src/engine/commit/owned-rows.ts', from: 'if (doubt.isOutdated) continue', to: '' }],
  },
  {
    name: 'a lost commit is not waited for before the store is asked',
    promise: 'linear',
    changes: [
      {
        file: 'src/engine/commit/owned-rows.ts',
        from: 'const [result] = fence === null ? [FENCED] : await store.commit([partOf(fence, [])])',
        to: 'const [result] = [{ type: "written" }] as { type: string }[]; void partOf',
      },
    ],
  },
  {
    name: 'the cursor of the window is off by one',
    promise: 'lost',
    changes: [
      {
        file: 'src/engine/window/coverage.ts',
        from: 'this.#cursorOf(shareGroupOf(timer))) <= 0',
        to: 'this.#cursorOf(shareGroupOf(timer))) < 0',
      },
    ],
  },
  {
    name: 'an eviction moves the cursor too little',
    promise: 'lost',
    changes: [
      {
        file: 'src/engine/window/eviction.ts',
        from: 'cursor: first !== Infinity && first > cursor.wakeAt ? lastKeyAt(first - 1) : keyOf(cursor)',
        to: 'cursor: first !== Infinity ? lastKeyAt(first + 1) : keyOf(cursor)',
      },
    ],
  },
  {
    name: 'what is evicted is forgotten',
    promise: 'lost',
    changes: [
      {
        file: 'src/engine/window/window.ts',
        from: 'if (cursor !== null) this.#coverage.pullBack(cursor)',
        to: '',
      },
    ],
  },
  {
    name: 'what is committed while a page is read is not noted',
    promise: 'lost',
    changes: [
      {
        file: 'src/engine/window/page-reader.ts',
        from: 'if (reading === null || reading.isVoid) return',
        to: 'if (reading !== null) return; if (reading === null) return',
      },
    ],
  },
  {
    name: 'a page that could not be read is not read again',
    promise: 'live',
    changes: [
      {
        file: 'src/engine/window/window-keeper.ts',
        from: 'wakeBy(clock.now() + READ_AGAIN_MS)',
        to: 'void READ_AGAIN_MS',
      },
    ],
  },
  {
    name: 'timers fire up to 30 ms early',
    promise: 'early',
    changes: [
      {
        file: 'src/engine/delivery/in-flight-deliveries.ts',
        from: 'if (now >= entry.wakeAt &&',
        to: 'if (now + 30 >= entry.wakeAt &&',
      },
      {
        file: 'src/engine/shard.ts',
        from: 'window.takeDue(now, DUE_BATCH)',
        to: 'window.takeDue(now + 30, DUE_BATCH)',
      },
    ],
  },
  {
    name: 'a timer fires although the clock was set back meanwhile',
    promise: 'early',
    changes: [{ file: 'src/engine/delivery/in-flight-deliveries.ts', from: 'if (now >= entry.wakeAt &&', to: 'if (' }],
  },
  {
    name: 'retries do not wait',
    promise: 'early',
    changes: [
      {
        file: 'src/core/rules/retry.ts',
        from: 'return Math.min(policy.initialIntervalMs * policy.multiplier ** (attempts - 1), policy.maxIntervalMs)',
        to: 'return 0 * attempts * policy.maxIntervalMs',
      },
    ],
  },
]
