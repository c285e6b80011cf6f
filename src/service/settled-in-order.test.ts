import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settledInOrder } from './settled-in-order.ts'

test('what has one key runs one after the other, in order, after a failure too; the rest does not wait', async () => {
  const started: string[] = []
  const running = new Map<string, PromiseWithResolvers<string>>()
  const run = (item: string) => {
    started.push(item)
    running.set(item, Promise.withResolvers())
    return running.get(item)!.promise
  }
  const settled = settledInOrder(['a1', 'b1', 'a2', 'a3', 'b2'], { keyOf: ([key]) => key!, run })
  const until = async (count: number) => {
    while (started.length < count) await Promise.resolve()
  }
  assert.deepEqual(started, ['a1', 'b1'])
  running.get('a1')!.reject(new Error('refused'))
  await until(3)
  assert.deepEqual(started, ['a1', 'b1', 'a2'])
  running.get('a2')!.resolve('done')
  running.get('b1')!.resolve('done')
  await until(5)
  for (const last of ['a3', 'b2']) running.get(last)!.resolve('done')
  assert.deepEqual(
    (await settled).map(({ status }) => status),
    ['rejected', 'fulfilled', 'fulfilled', 'fulfilled', 'fulfilled'],
  )
})
