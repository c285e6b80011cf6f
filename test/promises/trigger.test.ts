// A trigger fires a cycle once more, now, and leaves its grid alone, whatever happens in between.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NEVER } from '../../src/core/timer/timer.ts'
import { ManualClock } from '../../src/runtime/clock/manual-clock.ts'
import { gate, name, NOT_OK, OK, TestNode } from './node-fixture.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const DAY = 24 * 60 * MINUTE

async function setup() {
  const node = await TestNode.start({ clock: new ManualClock(undefined, { maxWaitMs: Infinity }) })
  const startAt = node.clock.now()
  await node.create('c', 'R/PT1M')
  const command = (type: 'trigger' | 'pause' | 'resume', on = node) => on.service.execute({ type, ...name('c') })
  /** When deliveries started, in seconds. */
  const seconds = () => node.receiver.arrivals.map(({ at }) => (at - startAt) / SECOND)
  const ids = () => node.receiver.arrivals.map(({ firing }) => firing.deliveryId)
  return { node, clock: node.clock, receiver: node.receiver, command, seconds, ids, startAt }
}

test('a trigger on a cycle that was paused for a day fires it once, and it stays paused', async () => {
  const { node, clock, command, seconds } = await setup()
  await clock.advance(10 * SECOND)
  await command('pause')
  await clock.advance(DAY)
  assert.equal((await command('trigger')).timer.status, 'paused')
  await clock.advance(DAY)
  assert.deepEqual(seconds(), [10 + DAY / SECOND])
  const timer = await node.get('c')
  assert.deepEqual([timer.status, timer.wakeAt, timer.iteration], ['paused', NEVER, 1])
  await command('resume')
  await clock.advance(SECOND)
  assert.equal(seconds().length, 2, 'of what was missed only the last iteration fires')
})

test('a trigger on a running cycle is a firing more: the next iterations come when they would have', async () => {
  const { node, clock, command, seconds, ids } = await setup()
  await clock.advance(10 * SECOND)
  const { timer } = await command('trigger')
  assert.equal(timer.dueAt, (await node.get('c')).createdAt + MINUTE)
  await clock.advance(3 * MINUTE - 10 * SECOND)
  assert.deepEqual(seconds(), [10, 60, 120, 180])
  assert.equal(new Set(ids()).size, 4)
})

test('triggers that come before the extra delivery has started are one', async () => {
  const { node, clock, command, seconds } = await setup()
  const disk = gate()
  node.commitGate = disk.closed
  const triggers = [command('trigger'), command('trigger'), command('trigger')]
  await clock.advance(SECOND)
  disk.open()
  await clock.advance(2 * SECOND)
  await Promise.allSettled(triggers)
  assert.equal(seconds().length, 1)
  await clock.advance(58 * SECOND)
  assert.equal(seconds().length, 2)
})

test('an extra firing that a crash interrupts is delivered by the next node, with the same delivery id, and so is what follows', async () => {
  const { node, clock, command, receiver, ids, seconds } = await setup()
  receiver.answer = () => new Promise(() => {})
  await clock.advance(10 * SECOND)
  await command('trigger')
  await clock.advance(500)
  const next = await node.restart()
  receiver.answer = () => OK
  await next.clock.advance(MINUTE - 10 * SECOND)
  assert.deepEqual(seconds(), [10, 10.5, 60])
  assert.equal(ids()[0], ids()[1])
  assert.notEqual(ids()[1], ids()[2])
})

test('an extra firing is retried with its own delivery id, but not into the next iteration, which is on time with its own', async () => {
  const { node, clock, command, receiver, ids, seconds } = await setup()
  receiver.answer = () => NOT_OK
  await clock.advance(10 * SECOND)
  await command('trigger')
  await clock.advance(49 * SECOND)
  assert.equal(seconds().length, 2, 'one retry after 30 s and a bit')
  receiver.answer = () => OK
  await clock.advance(SECOND)
  assert.deepEqual([seconds().length, seconds()[2]], [3, 60])
  assert.deepEqual([ids()[0] === ids()[1], ids()[1] === ids()[2]], [true, false])
  const timer = await node.get('c')
  assert.deepEqual([timer.status, timer.iteration, timer.attemptLog.length], ['pending', 2, 3])
})

test('an iteration that comes due while the extra firing is being delivered fires right after it', async () => {
  const { clock, command, receiver, seconds } = await setup()
  const slow = gate()
  receiver.answer = () => slow.closed.then(() => OK)
  await clock.advance(50 * SECOND)
  await command('trigger')
  await clock.advance(15 * SECOND)
  slow.open()
  await clock.advance(55 * SECOND)
  assert.deepEqual(seconds(), [50, 65, 120])
})

test('the retries of an iteration go on after an extra firing, with their delivery id', async () => {
  const { node, clock, command, receiver, ids, seconds } = await setup()
  let answer = NOT_OK
  receiver.answer = () => answer
  await clock.advance(70 * SECOND)
  answer = OK
  await command('trigger')
  await clock.advance(30 * SECOND)
  assert.deepEqual([seconds().length, seconds().slice(0, 2)], [3, [60, 70]])
  assert.deepEqual([ids()[0] === ids()[2], ids()[0] === ids()[1]], [true, false])
  assert.equal((await node.get('c')).iteration, 2)
})

test('a canceled cycle does not make its extra firing', async () => {
  const { node, clock, command, receiver, seconds } = await setup()
  receiver.answer = () => NOT_OK
  await command('trigger')
  await clock.advance(SECOND)
  await node.service.execute({ type: 'cancel', ...name('c'), ifVersion: null })
  await clock.advance(DAY)
  assert.equal(seconds().length, 1)
})
