import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NoneTarget } from './none-target.ts'

test('a timer without a target is delivered at once, to nobody', async () => {
  const target = new NoneTarget()
  assert.deepEqual(await target.deliver(), { type: 'delivered', statusCode: null })
  await target.close()
})
