import assert from 'node:assert/strict'
import { test } from 'node:test'
import { threadCounts } from './thread-counts.ts'

const AUTO = { httpThreads: 'auto', deliveryThreads: 'auto' } as const
const on = (cores: number, platform: NodeJS.Platform = 'linux') => threadCounts(AUTO, { cores, platform })

test('one thread does everything where ports cannot be shared, and deliveries have theirs', () => {
  assert.deepEqual(on(8, 'darwin'), { http: 0, delivery: 4 })
  assert.deepEqual(threadCounts({ httpThreads: 3, deliveryThreads: 0 }, { cores: 8, platform: 'win32' }), {
    http: 0,
    delivery: 0,
  })
})

test('up to two cores there are no further threads', () => {
  for (const cores of [1, 2]) assert.deepEqual(on(cores), { http: 0, delivery: 0 })
})

test('more cores are for requests first, then for deliveries, up to what one deciding thread can use', () => {
  assert.deepEqual(on(3), { http: 1, delivery: 0 })
  assert.deepEqual(on(4), { http: 1, delivery: 1 })
  assert.deepEqual(on(8), { http: 3, delivery: 3 })
  assert.deepEqual(on(64), { http: 6, delivery: 4 })
})

test('what is asked for is what there is', () => {
  assert.deepEqual(threadCounts({ httpThreads: 2, deliveryThreads: 3 }, { cores: 1, platform: 'linux' }), {
    http: 2,
    delivery: 3,
  })
})
