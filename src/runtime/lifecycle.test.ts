import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { Lifecycle, stopOnSignals } from './lifecycle.ts'
import type { Part } from './lifecycle.ts'
import { silentLogger } from './telemetry/logger.ts'
import { ManualClock } from './clock/manual-clock.ts'

/** Parts that write down what happens to them; `broken` maps `start b` or `stop b` to what it does instead. */
function setup(broken: Readonly<Record<string, () => Promise<void>>> = {}) {
  const events: string[] = []
  const happen = async (event: string) => {
    events.push(event)
    await broken[event]?.()
  }
  const parts = ['a', 'b', 'c'].map((name): Part => ({
    name,
    start: () => happen(`start ${name}`),
    stop: () => happen(`stop ${name}`),
  }))
  return { events, lifecycle: new Lifecycle(parts, silentLogger()) }
}

const fail = (message: string) => () => Promise.reject(new Error(message))

test('when a part fails to start, it and those before it are stopped and its error is thrown', async () => {
  const { events, lifecycle } = setup({ 'start b': fail('port in use'), 'stop a': fail('also broken') })
  await assert.rejects(lifecycle.start(), /port in use/)
  assert.deepEqual(events, ['start a', 'start b', 'stop b', 'stop a'])
  await lifecycle.stop()
  assert.equal(events.length, 4, 'a later stop has nothing left to do')
})

test('a part that fails to stop does not keep the others running', async () => {
  const { events, lifecycle } = setup({ 'stop b': fail('disk gone') })
  await lifecycle.start()
  await assert.rejects(lifecycle.stop(), (error: AggregateError) => /disk gone/.test(String(error.errors[0])))
  assert.deepEqual(events.slice(3), ['stop c', 'stop b', 'stop a'])
})

test('a stop before the start is safe, and nothing starts after it', async () => {
  const { events, lifecycle } = setup()
  await lifecycle.stop()
  await assert.rejects(lifecycle.start(), /Stopped before a was started/)
  assert.deepEqual(events, [])
})

test('a stop during the start waits for the part that is starting and starts no further one', async () => {
  const begun = Promise.withResolvers<void>()
  const ready = Promise.withResolvers<void>()
  const startB = () => {
    begun.resolve()
    return ready.promise
  }
  const { events, lifecycle } = setup({ 'start b': startB })
  const started = assert.rejects(lifecycle.start(), /Stopped before c/)
  await begun.promise
  const stopped = lifecycle.stop()
  ready.resolve()
  await Promise.all([started, stopped])
  assert.deepEqual(events, ['start a', 'start b', 'stop b', 'stop a'])
})

test('parts start in order and stop in reverse, once, however often it is asked', async () => {
  const { events, lifecycle } = setup()
  await Promise.all([lifecycle.start(), lifecycle.start()])
  await Promise.all([lifecycle.stop(), lifecycle.stop()])
  await lifecycle.stop()
  assert.deepEqual(events, ['start a', 'start b', 'start c', 'stop c', 'stop b', 'stop a'])
})

function setupSignals(stop: () => Promise<void>) {
  const source = new EventEmitter()
  const exits: number[] = []
  const exited = Promise.withResolvers<void>()
  const exit = (code: number) => {
    exits.push(code)
    exited.resolve()
  }
  const clock = new ManualClock()
  const ignore = stopOnSignals({ stop, logger: silentLogger(), clock, graceMs: 10_000, source, exit })
  return { source, exits, exited: exited.promise, ignore, clock }
}

test('a second signal exits at once, while the first still stops', () => {
  let stops = 0
  const { source, exits } = setupSignals(() => {
    stops++
    return new Promise(() => {})
  })
  source.emit('SIGTERM', 'SIGTERM')
  assert.deepEqual(exits, [])
  source.emit('SIGINT', 'SIGINT')
  assert.deepEqual(exits, [1])
  assert.equal(stops, 1)
})

test('the same signal within two seconds is the first one passed on; after that it exits at once', async () => {
  const { source, exits, clock } = setupSignals(() => new Promise(() => {}))
  source.emit('SIGINT', 'SIGINT')
  await clock.advance(1_999)
  source.emit('SIGINT', 'SIGINT')
  assert.deepEqual(exits, [])
  await clock.advance(1)
  source.emit('SIGINT', 'SIGINT')
  assert.deepEqual(exits, [1])
})

test('a stop that does not end is given up some seconds after the grace', async () => {
  const { source, exits, clock } = setupSignals(() => new Promise(() => {}))
  source.emit('SIGTERM', 'SIGTERM')
  await clock.advance(24_999)
  assert.deepEqual(exits, [])
  await clock.advance(1)
  assert.deepEqual(exits, [1])
})

test('a stop that fails is an exit code other than zero', async () => {
  const { source, exits, exited } = setupSignals(fail('disk gone'))
  source.emit('SIGTERM', 'SIGTERM')
  await exited
  assert.deepEqual(exits, [1])
})

test('one signal stops in order and exits with zero', async () => {
  const { source, exits, exited } = setupSignals(() => Promise.resolve())
  source.emit('SIGINT', 'SIGINT')
  await exited
  assert.deepEqual(exits, [0])
})

test('signals can be left to others again', () => {
  const { source, ignore } = setupSignals(() => Promise.resolve())
  ignore()
  assert.deepEqual(source.eventNames(), [])
})
