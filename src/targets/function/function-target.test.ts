import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'
import type { DeliveryOutcome, Firing } from '../../core/timer/delivery.ts'
import type { Namespace } from '../../core/timer/timer.ts'
import { ManualClock } from '../../runtime/clock/manual-clock.ts'
import { targetConformance } from '../conformance.ts'
import { aFiring } from '../http/delivery.fixture.ts'
import { FinalFailure, FunctionTarget } from './function-target.ts'
import type { TimerFunction } from './function-target.ts'

const DONE: DeliveryOutcome = { type: 'delivered', statusCode: null }
const namespace = 'n' as Namespace
const firing = { timer: { namespace, timeoutMs: 5_000 } } as Firing
const never = new AbortController().signal

targetConformance('function', {
  accepts: async () => conforming(async () => DONE),
  fails: async () => conforming(() => Promise.reject(new Error('not now'))),
  refuses: async () => conforming(() => Promise.reject(new FinalFailure('gone'))),
  reschedules: async () => conforming(async () => ({ type: 'rescheduled', nextAt: 1, statusCode: null })),
  silent: async () => conforming(() => new Promise(() => {})),
})

function conforming(call: TimerFunction) {
  const arrived = Promise.withResolvers<void>()
  const { target, clock } = setup((...given) => {
    arrived.resolve()
    return call(...given)
  })
  const timer = { namespace, target: { type: 'function' } as const, protocol: 'v1', timeoutMs: 5_000 }
  return { adapter: target, clock, firing: aFiring('', timer), arrived: arrived.promise }
}

function setup(call: TimerFunction, concurrency?: number) {
  const clock = new ManualClock()
  const opened: string[] = []
  const target = new FunctionTarget({ clock, onOpen: () => opened.push('open') })
  const destination = target.destinationOf({ type: 'function' }, namespace)
  const unregister = target.register(namespace, call, concurrency)
  return { clock, target, destination, unregister, opened }
}

test('a namespace is closed until it has a function, and again when that is taken back', () => {
  const { target, destination, unregister, opened } = setup(async () => DONE)
  assert.equal(target.isOpen(target.destinationOf({ type: 'function' }, 'other' as Namespace)), false)
  assert.deepEqual([target.isOpen(destination), opened.length], [true, 1])
  unregister()
  assert.equal(target.isOpen(destination), false)
  target.register(namespace, async () => DONE)
  unregister()
  assert.equal(target.isOpen(destination), true, 'a second taking back does not take the next one away')
})

test('what a function throws is a failure that can be read, and one that wants no further attempt is final', async () => {
  const errors: [unknown, string, boolean][] = [
    [new RangeError('too far'), 'RangeError: too far', false],
    [new Error(''), 'Error', false],
    ['text', 'the function threw text', false],
    [new FinalFailure('gone'), 'FinalFailure: gone', true],
  ]
  for (const [error, text, final] of errors) {
    const { target } = setup(() => Promise.reject(error))
    assert.deepEqual(await target.deliver(firing, never), {
      type: 'failed',
      error: text,
      statusCode: null,
      retryAfterMs: null,
      final,
    })
  }
})

test('a function that outlasts the time limit has failed and is told, and what it answers later does not count', async () => {
  const late = Promise.withResolvers<DeliveryOutcome>()
  let told: AbortSignal | null = null
  const { clock, target } = setup((_, call) => {
    told = call.signal
    return late.promise
  })
  const delivery = target.deliver(firing, never)
  await clock.advance(4_999)
  assert.equal(told!.aborted, false)
  await clock.advance(1)
  late.resolve(DONE)
  assert.deepEqual(await delivery, {
    type: 'failed',
    error: 'timed out after 5s',
    statusCode: null,
    retryAfterMs: null,
    final: false,
  })
  assert.equal(told!.aborted, true)
})

test('when the program closes, a function under way is told and nobody waits for it', async () => {
  const { clock, target } = setup(() => new Promise(() => {}))
  const closing = new AbortController()
  const delivery = target.deliver(firing, closing.signal)
  closing.abort(new Error('closing'))
  await assert.rejects(delivery, /closing/)
  await assert.rejects(target.deliver(firing, closing.signal), /closing/)
  assert.equal(clock.waiting, 0, 'no timeout is left behind')
})

test('a function that asks for its signal only when nobody waits any more finds it aborted', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  let late: AbortSignal | null = null
  const { clock, target } = setup(async (_, call) => {
    await promise
    late = call.signal
    return DONE
  })
  const delivery = target.deliver(firing, never)
  await clock.advance(5_000)
  await delivery
  resolve()
  await clock.advance(1)
  assert.equal((late as AbortSignal | null)?.reason?.name, 'TimeoutError')
})

test('calls under way leave no listeners on the signal that they share', async () => {
  const { target } = setup(() => new Promise(() => {}))
  const { signal } = new AbortController()
  for (let n = 0; n < 100; n++) void target.deliver(firing, signal)
  assert.equal(getEventListeners(signal, 'abort').length, 1)
})

test('a destination is closed while as many calls are under way as its concurrency allows', async () => {
  const call = Promise.withResolvers<DeliveryOutcome>()
  const { target, destination } = setup(() => call.promise, 2)
  const deliveries = [target.deliver(firing, never), target.deliver(firing, never)]
  assert.equal(target.isOpen(destination), false)
  call.resolve(DONE)
  assert.deepEqual(await Promise.all(deliveries), [DONE, DONE])
  assert.equal(target.isOpen(destination), true)
})
