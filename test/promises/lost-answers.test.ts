// The promises when the answer of the store gets lost: the write may have happened or not, and the service must not go on
// as if it knew. The safety net is an hour away in these tests.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StoreError } from '../../src/store/store.ts'
import { OK, TestNode, name } from './node-fixture.ts'

const CANCEL = { type: 'cancel', ...name('a'), ifVersion: null } as const

/** The commits until `recover` happen, and nobody hears of them. */
function loseAnswers(node: TestNode): void {
  node.commitError = new StoreError('connection lost', { outcomeUnknown: true })
  node.commitsBeforeFailing = true
}

function recover(node: TestNode): void {
  node.commitError = null
  node.commitsBeforeFailing = false
}

test('a timer that can be read as canceled does not fire, although the answer to its cancel was lost', async () => {
  const node = await TestNode.start()
  await node.create('a', 'PT5S')
  loseAnswers(node)
  await assert.rejects(node.service.execute(CANCEL), /may have been stored or not/)
  assert.equal((await node.get('a')).status, 'canceled')
  await node.clock.advance(6_000)
  recover(node)
  await node.clock.advance(60_000)
  assert.deepEqual(node.receiver.ids(), [])
})

test('a cancel that never reached the store leaves the timer to fire, once the store has told', async () => {
  const node = await TestNode.start()
  await node.create('a', 'PT5S')
  node.commitError = new StoreError('connection lost', { outcomeUnknown: true })
  await assert.rejects(node.service.execute(CANCEL), /may have been stored or not/)
  await node.clock.advance(6_000)
  assert.deepEqual(node.receiver.ids(), [])
  recover(node)
  await node.clock.advance(2_000)
  assert.deepEqual(node.receiver.ids(), ['a'])
})

test('a timer whose create was stored without an answer is on the dot', async () => {
  const node = await TestNode.start()
  loseAnswers(node)
  const dueAt = node.clock.now() + 5_000
  await assert.rejects(node.create('a', 'PT5S'), /may have been stored or not/)
  recover(node)
  await node.clock.advance(10_000)
  assert.deepEqual(
    node.receiver.arrivals.map(({ at }) => at),
    [dueAt],
  )
})

test('a delivery whose mark was stored without an answer is not made again', async () => {
  const node = await TestNode.start()
  await node.create('a', 'PT1S')
  let answer = () => {}
  node.receiver.answer = () => {
    loseAnswers(node)
    return new Promise((resolve) => (answer = () => resolve(OK)))
  }
  await node.clock.advance(3_500)
  assert.equal((await node.store.getMany([{ ...name('a'), shard: 0 as never }]))[0]?.status, 'executing')
  recover(node)
  answer()
  await node.clock.advance(60_000)
  assert.equal((await node.get('a')).status, 'completed')
  assert.deepEqual(node.receiver.ids(), ['a'])
})

test('what comes after a change of unknown outcome is judged by what the store says', async () => {
  const node = await TestNode.start()
  await node.create('a', 'PT5S')
  loseAnswers(node)
  await assert.rejects(node.service.execute({ type: 'pause', ...name('a') }), /may have been stored or not/)
  const resuming = node.service.execute({ type: 'resume', ...name('a') })
  await node.clock.advance(1_000)
  recover(node)
  await node.clock.advance(9_000)
  assert.equal((await resuming).changed, true)
  assert.deepEqual(node.receiver.ids(), ['a'])
})

test('a delivery that is over before the store comes back is not made again, however long that takes', async () => {
  const node = await TestNode.start()
  await node.create('a', 'PT1S')
  node.receiver.answer = () => {
    node.commitError = new StoreError('connection refused')
    return OK
  }
  await node.clock.advance(1_999)
  for (let ms = 0; ms < 3_000; ms++) {
    // The store is there for one commit at a time, whosever it is.
    node.commitError = ms % 2 === 0 ? null : new StoreError('connection refused')
    await node.clock.advance(1)
  }
  recover(node)
  await node.clock.advance(60_000)
  assert.deepEqual(node.receiver.ids(), ['a'])
})

test('a timer whose iteration could not be moved aside is not executing: a cancel is taken, and nothing is delivered', async () => {
  const node = await TestNode.start()
  await node.create('a', 'R5/PT5S', { overlap: 'allow' })
  node.isCutOff = true
  await node.clock.advance(5_001)
  node.isCutOff = false
  assert.equal((await node.get('a')).status, 'pending')
  assert.equal((await node.service.execute(CANCEL)).timer.status, 'canceled')
  await node.clock.advance(60_000)
  assert.deepEqual(node.receiver.ids(), [])
})
