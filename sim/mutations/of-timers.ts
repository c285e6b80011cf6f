// Bugs in the rules of timers, in what is counted and told, and in what bounds it all.

import type { Mutation } from './mutation.ts'

export const MUTATIONS_OF_TIMERS: readonly Mutation[] = [
  {
    name: 'an outcome that could not be stored is given up',
    promise: 'live',
    changes: [
      {
        file: 'src/engine/delivery/attempt.ts',
        from: 'await sleep(clock, waitMs, signal)\n',
        to: 'return null; await sleep(clock, waitMs, signal)\n',
      },
    ],
  },
  {
    name: 'a delivered timer is not finished',
    promise: 'once',
    changes: [
      {
        file: 'src/core/rules/settle.ts',
        from: 'return following(tried, context) ?? finished(tried, Status.completed, context)',
        to: 'return following(tried, context) ?? { ...tried, version: tried.version + 1, attempts: 0, wakeAt: context.now + 500 }',
      },
    ],
  },
  {
    name: 'a failed attempt is not tried again',
    promise: 'lost',
    changes: [
      {
        file: 'src/core/rules/settle.ts',
        from: 'return retryOf(tried, retryAfterMs, context) ?? following(tried, context)',
        to: 'void [retryOf, retryAfterMs]; return following(tried, context)',
      },
    ],
  },
  {
    name: 'a new firing has the delivery id of the one before',
    promise: 'once',
    changes: [{ file: 'src/core/rules/steps.ts', from: 'firing: timer.firing + 1,', to: 'firing: timer.firing,' }],
  },
  {
    name: 'the condition on a version is ignored',
    promise: 'linear',
    changes: [
      {
        file: 'src/core/rules/decide.ts',
        from: "if ('ifVersion' in command && command.ifVersion !== null && command.ifVersion !== existing.version) {",
        to: "if ('ifVersion' in command && command.ifVersion !== null && command.ifVersion < 0) {",
      },
    ],
  },
  {
    name: 'missed iterations are skipped although all are wanted',
    promise: 'lost',
    changes: [
      {
        file: 'src/core/rules/settle.ts',
        from: 'timer.catchUp === CatchUp.one ? now : null',
        to: 'timer.catchUp !== null || timer.catchUp === CatchUp.one ? now : null',
      },
    ],
  },
  {
    name: 'a resumed timer sleeps on',
    promise: 'live',
    changes: [
      {
        file: 'src/core/rules/change.ts',
        from: 'status: Status.pending, wakeAt: timer.dueAt, updatedAt: now }',
        to: 'status: Status.pending, updatedAt: now }',
      },
    ],
  },
  {
    name: 'a paused timer fires',
    promise: 'final',
    changes: [
      {
        file: 'src/core/rules/change.ts',
        from: 'status: Status.paused, wakeAt: until, updatedAt: now }',
        to: 'status: Status.paused, updatedAt: now }',
      },
    ],
  },
  {
    name: 'a trigger of a cycle is forgotten',
    promise: 'lost',
    changes: [
      {
        file: 'src/core/rules/extra-firing.ts',
        from: 'return { ...timer, version, updatedAt: now, wakeAt: now, attempts: 0, firstAttemptAt: null, extra: added }',
        to: 'void added; return { ...timer, version, updatedAt: now }',
      },
    ],
  },
  {
    name: 'a command whose answer was lost is sent once more',
    promise: 'durable',
    changes: [
      {
        file: 'src/service/command-router.ts',
        from: 'return error instanceof DuetimeError && error.code === ErrorCode.notOwner',
        to: 'return error instanceof DuetimeError && (error.code === ErrorCode.notOwner || error.code === ErrorCode.unavailable)',
      },
    ],
  },
  {
    name: 'commands are judged by memory that is in doubt',
    promise: 'linear',
    changes: [
      {
        file: 'src/engine/shard-commands.ts',
        from: 'if (stopped.aborted || !this.#parts.mayStart() || rows.isUnsure(uuid)) throw notOwner()',
        to: 'if (stopped.aborted || !this.#parts.mayStart()) throw notOwner()',
      },
    ],
  },
  {
    name: 'finished timers are pruned an hour too early',
    promise: 'linear',
    changes: [
      { file: 'src/engine/pruner.ts', from: 'before: now, limit: BATCH', to: 'before: now + 7_200_000, limit: BATCH' },
    ],
  },
  {
    name: 'live rows are pruned',
    promise: 'lost',
    changes: [
      {
        file: 'src/store/memory/memory-store.ts',
        from: 'this.#scan({ shard, finished: true, after: null, limit }).map(',
        to: 'this.#scan({ shard, finished: false, after: null, limit }).map(',
      },
    ],
  },
  {
    name: 'counters are applied twice',
    promise: 'counters',
    changes: [
      {
        file: 'src/store/memory/memory-store.ts',
        from: 'for (const counter of counters) this.#counters.add(counter)',
        to: 'for (const counter of [...counters, ...counters]) this.#counters.add(counter)',
      },
    ],
  },
  {
    name: 'a pruned timer is still counted',
    promise: 'counters',
    changes: [
      {
        file: 'src/store/commit-sheet.ts',
        from: 'sums.add({ namespace, slotAt: COUNTS, name: countName(status, kind), amount: -1 })',
        to: 'sums.add({ namespace, slotAt: COUNTS, name: countName(status, kind), amount: 0 })',
      },
    ],
  },
  {
    name: 'events are not written with their change',
    promise: 'events',
    changes: [
      {
        file: 'src/engine/commit/owned-rows.ts',
        from: 'return await this.#commit({ ...put, events })',
        to: 'return await this.#commit(put)',
      },
    ],
  },
  {
    name: 'an event that was not confirmed is removed',
    promise: 'events',
    changes: [
      {
        file: 'src/nats/lifecycle/shard-publisher.ts',
        from: 'heldUp.set(uuid, error as Error)',
        to: 'heldUp.set(uuid, error as Error)\n        published.push(event.number)',
      },
    ],
  },
  {
    name: 'an event overtakes one of the same timer that was not confirmed',
    promise: 'events',
    changes: [
      {
        file: 'src/nats/lifecycle/shard-publisher.ts',
        from: 'if (heldUp.has(uuid) || this.#isStopped) return',
        to: 'if (this.#isStopped) return',
      },
    ],
  },
  {
    name: 'slots whose outcomes were stored are not freed',
    promise: 'live',
    changes: [
      { file: 'src/engine/delivery/dispatcher.ts', from: 'this.#settling--\n    this.run()', to: 'this.run()' },
    ],
  },
  {
    name: 'a tenant may take all slots',
    promise: 'fair',
    changes: [
      { file: 'src/engine/delivery/dispatcher.ts', from: 'const TENANT_FACTOR = 4', to: 'const TENANT_FACTOR = 1_000' },
    ],
  },
  {
    name: 'the window is never full',
    promise: 'bounded',
    changes: [
      { file: 'src/engine/window/shares.ts', from: 'return this.fill >= 1\n', to: 'return this.fill >= 1e9\n' },
      { file: 'src/engine/window/shares.ts', from: 'return this.fill <= 1 / 2', to: 'return this.fill <= 1e9' },
    ],
  },
  {
    name: 'the commit queue takes any number of writes',
    promise: 'bounded',
    changes: [
      {
        file: 'src/engine/commit/commit-queue.ts',
        from: 'if (this.length + puts <= this.#lengthMax) return',
        to: 'if (this.length + puts <= this.#lengthMax * 1_000) return',
      },
    ],
  },
]
