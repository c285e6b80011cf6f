import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { WorkerLink } from './worker-link.ts'

type Calls = { answer(n: number): number; die(how: string): void }

/** A worker that answers, and dies when told to. */
function link(t: { after: (fn: () => Promise<unknown>) => void }): WorkerLink<Calls> {
  const source = `
    const { parentPort } = require('node:worker_threads')
    parentPort.on('message', ({ call, name, argument }) => {
      if (name === 'answer') parentPort.postMessage({ call, result: argument + 1 })
      else if (argument === 'exit') process.exit(3)
      else throw new Error('struck by lightning')
    })`
  const worker = new Worker(source, { eval: true })
  t.after(() => worker.terminate())
  return new WorkerLink<Calls>(worker, 'writer')
}

for (const how of ['exit', 'throw']) {
  test(`calls to a worker that dies (${how}) are rejected, those under way and those that come later`, async (t) => {
    const to = link(t)
    assert.equal(await to.call('answer', 1), 2)
    const underWay = [to.call('die', how, true), to.call('answer', 1, true), to.call('answer', 2)]
    const outcomes = await Promise.allSettled(underWay)
    const errors = outcomes.map(
      (outcome) => (outcome as PromiseRejectedResult).reason as Error & { outcomeUnknown: boolean },
    )
    assert.deepEqual(
      errors.map(({ outcomeUnknown }) => outcomeUnknown),
      [true, true, false],
    )
    for (const error of errors) assert.match(error.message, /the database's writer thread ended.*restart the service/)
    await assert.rejects(to.call('answer', 1, true), { name: 'StoreError', outcomeUnknown: false, retryable: false })
  })
}
