// Deliberate bugs. Each replaces a piece of the real source by a wrong one, and the simulator must find it: a simulator that
// never fails proves nothing. `promise` is the one that the bug breaks; which checker notices first may differ.

import type { PromiseName } from '../checkers/verdict.ts'

export type Replacement = { readonly file: string; readonly from: string; readonly to: string }

export type Mutation = {
  readonly name: string
  readonly promise: PromiseName
  readonly changes: readonly Replacement[]
}

export const MUTATIONS: readonly Mutation[] = [
  {
    name: 'a change is acknowledged before it is committed',
    promise: 'durable',
    changes: [
      {
        file: 'src/engine/commit/owned-rows.ts',
        from: 'const result = await this.write(before, after)\n',
        to: 'const result = { type: "written" } as PutResult\n      this.write(before, after).catch(() => {})\n',
      },
    ],
  },
  {
    name: 'a commit that the fence refused is taken for written',
    promise: 'durable',
    changes: [
      {
        file: 'src/engine/commit/owned-rows.ts',
        from: "if (result.type === 'fenced') onFenced(this.#fence)\n      return result",
        to: "if (result.type === 'fenced') onFenced(this.#fence)\n      return { type: 'written' } as PutResult",
      },
    ],
  },
  {
    name: 'a cancel is done in memory only',
    promise: 'final',
    changes: [
      {
        file: 'src/engine/commit/owned-rows.ts',
        from: 'const result = await this.write(before, after)\n',
        to: 'const result = after.status === "canceled" ? { type: "written" } as PutResult : await this.write(before, after)\n',
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
        from: "if (this.#holds.has(entry.uuid)) entry.state = 'held'",
        to: "if (entry.uuid === '') entry.state = 'held'",
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
        from: 'const [result] = await store.commit([partOf(this.#fence, [])])',
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
  {
    name: 'the lease is measured by the wall clock',
    promise: 'final',
    changes: [
      { file: 'src/engine/cluster/lease.ts', from: 'return this.#clock.elapsed()', to: 'return this.#clock.now()' },
    ],
  },
  {
    name: 'the lease does not run while the machine is suspended',
    promise: 'final',
    changes: [
      {
        file: 'src/engine/cluster/lease.ts',
        from: 'return this.#clock.elapsed()',
        to: 'return this.#clock.monotonic()',
      },
    ],
  },
  {
    name: 'the lease never ends',
    promise: 'final',
    changes: [
      {
        file: 'src/engine/cluster/lease.ts',
        from: 'return this.now() - this.#lastBeatAt < this.#leaseMs * CERTAIN_SHARE',
        to: 'return this.hasBeaten',
      },
    ],
  },
  {
    name: 'a node is taken for dead after a third of the lease',
    promise: 'final',
    changes: [
      {
        file: 'src/engine/cluster/beat-watch.ts',
        from: 'this.#lookedAt - sighting.sinceMono >= this.#leaseMs',
        to: 'this.#lookedAt - sighting.sinceMono >= this.#leaseMs / 3',
      },
    ],
  },
  {
    name: 'a node that comes back keeps what others have taken',
    promise: 'final',
    changes: [
      {
        file: 'src/engine/cluster/claims.ts',
        from: 'if (!isStillOurs) this.lost(shard, epoch)',
        to: 'void isStillOurs',
      },
    ],
  },
  {
    name: 'a node that was away goes on with what it has in memory',
    promise: 'final',
    changes: [
      {
        file: 'src/engine/cluster/ownership.ts',
        from: 'if (this.#lease.wasAway(sentAt) &&',
        to: 'if (sentAt < 0 &&',
      },
    ],
  },
  {
    name: 'a claim does not raise the epoch',
    promise: 'durable',
    changes: [
      {
        file: 'src/store/store.ts',
        from: 'return (Math.max(expected, above) + 1) as Epoch',
        to: 'return Math.max(expected, above, 1) as Epoch',
      },
    ],
  },
  {
    name: 'a node alone starts without its timers when its claim fails',
    promise: 'live',
    changes: [{ file: 'src/engine/cluster/claims.ts', from: 'if (!store.capabilities.shared) throw error', to: '' }],
  },
  {
    name: 'a shard that was given away is never taken back (#going is not cleared)',
    promise: 'live',
    changes: [
      {
        file: 'src/engine/cluster/claims.ts',
        from: 'this.#going.delete(shard)\n    this.#stayed.set(shard, handover)',
        to: 'this.#stayed.set(shard, handover)',
      },
      { file: 'src/engine/cluster/claims.ts', from: 'this.#going.delete(shard)\n  }', to: '}' },
    ],
  },
  {
    name: 'shards of dead nodes are not claimed',
    promise: 'live',
    changes: [
      {
        file: 'src/engine/cluster/ownership.ts',
        from: 'return this.#watch.isSilent(holder) && !this.#lease.isInDoubt',
        to: 'return false',
      },
    ],
  },
  {
    name: 'a node that failed to beat does not beat again',
    promise: 'live',
    changes: [
      {
        file: 'src/engine/cluster/ownership.ts',
        from: 'void this.lookNow().finally(() => this.#beatLater())',
        to: 'void this.lookNow().finally(() => { if (!this.#lease.lastBeatFailed) this.#beatLater() })',
      },
    ],
  },
  {
    name: 'a handover forgets the deliveries under way',
    promise: 'once',
    changes: [
      {
        file: 'src/engine/delivery/handed-over-deliveries.ts',
        from: 'return [...own, ...this.#remote.list()]',
        to: 'return own.slice(own.length)',
      },
    ],
  },
  {
    name: 'the outcome of a delivery that another node makes is dropped',
    promise: 'once',
    changes: [
      {
        file: 'src/engine/delivery/remote-deliveries.ts',
        from: 'if (ended !== null) await this.#settle(delivery, ended)',
        to: 'if (ended === null) await this.#settle(delivery, ended!)',
      },
    ],
  },
  {
    name: 'timers that another node delivers are held for ever when it dies',
    promise: 'live',
    changes: [
      {
        file: 'src/engine/delivery/remote-deliveries.ts',
        from: 'if (isGone || now >= untilMono) this.#end(delivery)',
        to: 'if (isGone && now < untilMono - 1e9) this.#end(delivery)',
      },
    ],
  },
  {
    name: 'an outcome that could not be stored is given up',
    promise: 'live',
    changes: [
      {
        file: 'src/engine/delivery/in-flight-deliveries.ts',
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
        from: 'if (!(error instanceof DuetimeError) || error.code !== ErrorCode.notOwner) throw error',
        to: 'if (!(error instanceof DuetimeError) || (error.code !== ErrorCode.notOwner && error.code !== ErrorCode.unavailable)) throw error',
      },
    ],
  },
  {
    name: 'commands are judged by memory that is in doubt',
    promise: 'linear',
    changes: [
      {
        file: 'src/engine/shard.ts',
        from: 'if (!mayStart() || this.#rows.isUnsure(command.uuid)) throw notOwner()',
        to: 'if (!mayStart()) throw notOwner()',
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
        from: 'sums.add(namespace, COUNTS, countName(status, kind), -1)',
        to: 'sums.add(namespace, COUNTS, countName(status, kind), 0)',
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
      { file: 'src/engine/window/shares.ts', from: 'return this.#fill() >= 1\n', to: 'return this.#fill() >= 1e9\n' },
      { file: 'src/engine/window/shares.ts', from: 'return this.#fill() <= 1 / 2', to: 'return this.#fill() <= 1e9' },
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
