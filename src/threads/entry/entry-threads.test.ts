import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { ManualClock } from '../../runtime/clock/manual-clock.ts'
import { loadConfig } from '../../runtime/config/config.ts'
import { silentLogger } from '../../runtime/telemetry/logger.ts'
import type { Thread } from '../kept-thread.ts'
import { EntryThreads } from './entry-threads.ts'
import type { DecidingParts } from './entry-threads.ts'

const NOTHING = {} as DecidingParts

/** Threads that are there at once and listen when they are told to, until the test lets them die. */
function setup(count: number) {
  const clock = new ManualClock()
  const threads: { die(): void; isDeaf: boolean }[] = []
  const startThread = (): Thread => {
    const ends = new EventEmitter()
    const me = {
      isDeaf: false,
      die() {
        me.isDeaf = true
        ends.emit('exit')
      },
    }
    threads.push(me)
    setImmediate(() => ends.emit('message', [{ type: 'ready' }]))
    return {
      postMessage: (batch) => {
        if (me.isDeaf) return
        for (const { call } of batch as { call: number }[]) ends.emit('message', [{ answered: call, result: 'url' }])
      },
      on: (event: string, listener: (of: unknown) => void) => ends.on(event, listener),
      terminate: async () => 0,
    }
  }
  const config = { ...loadConfig({ env: {} }), host: '127.0.0.1', port: 0 }
  const parts = { count, config, clock, logger: silentLogger(), keys: null, isInCluster: false, startThread }
  return { entry: new EntryThreads(parts), threads, clock }
}

async function ready(entry: EntryThreads): Promise<void> {
  for (;;) {
    try {
      return entry.check()
    } catch {
      await new Promise(setImmediate)
    }
  }
}

test('a thread that dies before it is told to listen holds up nobody', { timeout: 10_000 }, async () => {
  const { entry, threads, clock } = setup(2)
  await ready(entry)
  threads[0]!.die()
  assert.equal(await entry.listen(NOTHING), 'url')
  await clock.advance(100)
  await ready(entry)
  await entry.stop(0)
})

test('a thread that dies while it is told to listen holds up nobody', { timeout: 10_000 }, async () => {
  const { entry, threads } = setup(2)
  await ready(entry)
  threads[0]!.isDeaf = true
  const listening = entry.listen(NOTHING)
  while (threads.length < 2) await new Promise(setImmediate)
  setTimeout(() => threads[0]!.die(), 50)
  assert.equal(await listening, 'url')
  await entry.stop(0)
})

test('a thread that dies while it closes holds up no stop', { timeout: 10_000 }, async () => {
  const { entry, threads } = setup(1)
  await ready(entry)
  await entry.listen(NOTHING)
  threads[0]!.isDeaf = true
  const stopped = entry.stop(30_000)
  threads[0]!.die()
  await stopped
})
