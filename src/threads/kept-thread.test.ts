import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { Worker } from 'node:worker_threads'
import { ManualClock } from '../runtime/clock/manual-clock.ts'
import { silentLogger } from '../runtime/telemetry/logger.ts'
import type { BatchedPort } from './channel/batched-port.ts'
import { KeptThread } from './kept-thread.ts'
import type { ReadyMessage } from './kept-thread.ts'

/** Says that it works, repeats what it is told, and dies when told to. */
const PARROT = `
  const { parentPort } = require('node:worker_threads')
  parentPort.postMessage([{ type: 'ready' }])
  parentPort.on('message', ([said]) => {
    if (said.text === 'die') throw new Error('struck by lightning')
    parentPort.postMessage([said])
  })`

type Said = { readonly text: string }

function setup(t: TestContext, source: string) {
  const clock = new ManualClock()
  const events: string[] = []
  let wake = () => {}
  const note = (event: string) => {
    events.push(event)
    wake()
  }
  let port: BatchedPort<Said, Said | ReadyMessage>
  const thread = new KeptThread<Said, Said>(
    {
      start: () => new Worker(source, { eval: true, stderr: true }),
      begun: (opened) => (port = opened),
      take: ({ text }) => note(text),
      ready: () => note('ready'),
      died: () => note('died'),
    },
    { clock, logger: silentLogger() },
    {},
  )
  t.after(() => thread.stop())
  const happened = async (count: number) => {
    while (events.length < count) await new Promise<void>((resolve) => (wake = resolve))
    return events
  }
  return { thread, clock, happened, say: (text: string) => port.send({ text }) }
}

test('a thread that cannot start is not started again: whoever starts it is told why', async (t) => {
  const { thread, clock } = setup(t, `throw new Error('no such file')`)
  await assert.rejects(thread.start(), /no such file/)
  assert.equal(clock.waiting, 0)
})

test('a thread that dies is there again, and not a thread that was stopped', async (t) => {
  const { thread, clock, happened, say } = setup(t, PARROT)
  await thread.start()
  say('hello')
  assert.deepEqual(await happened(2), ['ready', 'hello'])
  say('die')
  assert.deepEqual(await happened(3), ['ready', 'hello', 'died'])
  assert.equal(thread.isReady, false)
  await clock.advance(100)
  await happened(4)
  assert.ok(thread.isReady)
  say('again')
  assert.deepEqual((await happened(5)).slice(3), ['ready', 'again'])
  await thread.stop()
  assert.equal(clock.waiting, 0)
})
