// What a bug in whoever made a change does to the others. In a process of its own: the bug is an error that nobody catches.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'

const PROGRAM = `
  const { CommitQueue } = await import(${JSON.stringify(new URL('commit-queue.ts', import.meta.url).href)})
  const { ManualClock } = await import(${JSON.stringify(new URL('../../runtime/clock/manual-clock.ts', import.meta.url).href)})
  const { sampleTimer } = await import(${JSON.stringify(new URL('../../store/conformance/sample-timer.ts', import.meta.url).href)})
  const queue = new CommitQueue({
    store: { capabilities: {}, commit: async (parts) => parts.map(() => ({ type: 'written' })) },
    owner: 'a',
    clock: new ManualClock(),
    observer: { committed() {} },
    lengthMax: 10,
    batchMax: 10,
  })
  const told = []
  process.on('uncaughtException', (error) => told.push(error.message))
  const add = (id, ended) =>
    queue.add({ shard: 0, epoch: 1, change: { before: null, after: sampleTimer({ id }) }, ended, failed() {} })
  add('a', () => told.push('a'))
  add('b', () => { throw new Error('a bug') })
  add('c', () => told.push('c'))
  await queue.idle()
  await new Promise((resolve) => setTimeout(resolve))
  console.log(told.sort().join(', '))
`

test('one that throws when it is told does not keep the others of its commit from being told, and is not passed over', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', PROGRAM])
  assert.equal(stdout.trim(), 'a, a bug, c')
})
