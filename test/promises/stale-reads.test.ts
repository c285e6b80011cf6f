// The promises when a read of the store is slow: after a lost answer the row is read to find out what happened, and what
// that read brings may be older than what has been acknowledged meanwhile.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sleep } from '../../src/runtime/clock/clock.ts'
import { ManualClock } from '../../src/runtime/clock/manual-clock.ts'
import { MemoryStore } from '../../src/store/memory/memory-store.ts'
import { StoreError } from '../../src/store/store.ts'
import type { CommitPart, PartResult, TimerKey } from '../../src/store/store.ts'
import { createCommand, name, OK, TestNode } from './node-fixture.ts'

/** Its next commit with a put fails, and the answers of its reads take their time. */
class SlowStore extends MemoryStore {
  readonly #clock: ManualClock
  /** What happens to the next commit that has a put; its answer is lost in any case. */
  losing: { readonly happens: boolean; readonly afterMs: number } | null = null
  /** Commits are done at once, and their answers are on their way for so long. */
  commitAnswersTakeMs = 0
  /** How long the answers of the next reads are on their way; further ones come at once. */
  readonly answersTakeMs: number[] = []

  constructor(clock: ManualClock) {
    super()
    this.#clock = clock
  }

  override async commit(parts: readonly CommitPart[]): Promise<readonly PartResult[]> {
    const { losing } = this
    if (losing === null || parts.every(({ puts }) => puts.length === 0)) {
      const results = await super.commit(parts)
      if (this.commitAnswersTakeMs > 0) await sleep(this.#clock, this.commitAnswersTakeMs)
      return results
    }
    this.losing = null
    if (losing.happens) await super.commit(parts)
    await sleep(this.#clock, losing.afterMs)
    throw new StoreError('connection cut', { outcomeUnknown: true })
  }

  override async getMany(keys: readonly TimerKey[]) {
    const takesMs = this.answersTakeMs.shift() ?? 0
    const rows = await super.getMany(keys)
    await sleep(this.#clock, takesMs)
    return rows
  }
}

async function setup() {
  const clock = new ManualClock()
  const store = new SlowStore(clock)
  return { clock, store, node: await TestNode.start({ clock, store }) }
}

test('a cancel that is acknowledged while a lost create is being found out stays final', async () => {
  const { clock, store, node } = await setup()
  store.losing = { happens: true, afterMs: 10 }
  store.answersTakeMs.push(12, 40) // of the cancel, and of the one that finds out, which is older than the cancel when it arrives
  const lost = assert.rejects(node.service.execute(createCommand('a', 'PT5S')), /may have been stored or not/)
  await clock.advance(3)
  const canceling = node.service.execute({ type: 'cancel', ...name('a'), ifVersion: null })
  await clock.advance(100)
  await lost
  assert.equal((await canceling).timer.status, 'canceled')
  await clock.advance(10_000)
  assert.deepEqual(node.receiver.ids(), [])
})

test('a delivery that is settled while a lost replacement is being found out is not made again', async () => {
  const { clock, store, node } = await setup()
  await node.create('a', 'PT1S')
  node.receiver.answer = async () => {
    await sleep(clock, 30)
    return OK
  }
  await clock.advance(1_000)
  store.losing = { happens: false, afterMs: 0 }
  store.answersTakeMs.push(60)
  const lost = assert.rejects(node.service.execute(createCommand('a', 'PT1H')), /may have been stored or not/)
  await clock.advance(10_000)
  await lost
  assert.deepEqual(node.receiver.ids(), ['a'])
})

test('what a reader has seen is not denied by an answer from memory while the commit has not been answered', async () => {
  const { clock, store, node } = await setup()
  await node.create('a', 'PT5S')
  store.commitAnswersTakeMs = 100
  const pausing = node.service.execute({ type: 'pause', ...name('a') })
  await clock.advance(10)
  const reading = node.get('a')
  await clock.advance(1)
  assert.equal((await reading).status, 'paused')
  const keeping = node.service.execute({ ...createCommand('a', 'PT9S'), onConflict: 'keep' })
  await clock.advance(200)
  assert.equal((await pausing).timer.version, 2)
  assert.deepEqual([(await keeping).timer.status, (await keeping).timer.version], ['paused', 2])
})
