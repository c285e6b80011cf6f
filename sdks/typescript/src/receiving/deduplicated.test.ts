import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deduplicated, RecentDeliveries } from './deduplicated.ts'
import { fail, reschedule } from './handler.ts'
import type { Firing, FiringAnswer } from './handler.ts'

const firing = (deliveryId: string) => ({ id: 'a', deliveryId }) as Firing

test('a delivery that failed is processed again, one that is done is not', async () => {
  const answers: (FiringAnswer | Error)[] = [fail('not yet'), new Error('broken'), undefined]
  let calls = 0
  const run = deduplicated(() => {
    const answer = answers[calls++]
    if (answer instanceof Error) throw answer
    return answer
  })
  assert.deepEqual(await run(firing('d')), fail('not yet'))
  await assert.rejects(async () => run(firing('d')), /broken/)
  assert.equal(await run(firing('d')), undefined)
  assert.equal(await run(firing('d')), undefined)
  assert.equal(calls, 3)
})

test('an answer is repeated as it was', async () => {
  const answers = [reschedule(0), reschedule(1)]
  const run = deduplicated(() => answers.shift())
  assert.deepEqual(await run(firing('d')), reschedule(0))
  assert.deepEqual(await run(firing('d')), reschedule(0))
  assert.deepEqual(await run(firing('e')), reschedule(1))
})

test('a delivery that is being processed is not processed beside that', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const run = deduplicated(() => promise)
  const first = run(firing('d'))
  assert.match(JSON.stringify(await run(firing('d'))), /being processed/)
  resolve()
  assert.equal(await first, undefined)
})

test('only so many deliveries are remembered', () => {
  const memory = new RecentDeliveries(2)
  for (const id of ['a', 'b', 'c']) {
    assert.equal(memory.claim(id), 'new')
    memory.keep(id, undefined)
  }
  assert.deepEqual(
    ['c', 'b', 'a'].map((id) => memory.claim(id) === 'new'),
    [false, false, true],
  )
})
