import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SharedPlaces } from './shared-places.ts'

function setup(max: number) {
  const gone: string[] = []
  const places = new SharedPlaces<string>({ max, idleMs: 60_000, onGone: (name) => gone.push(name) })
  const take = (name: string, tenant: string | null, now = 0) => places.take(name, tenant, now, () => name) !== null
  return { places, gone, take }
}

test('a tenant that has taken every place gives up half of them to another one, the longest unused first', () => {
  const { places, gone, take } = setup(10)
  for (let n = 0; n < 10; n++) take(`a${n}`, 'a', n)
  assert.equal(take('a10', 'a', 100), false, 'not to itself')
  places.use('a0', 200)
  const taken = Array.from({ length: 8 }, (_, n) => take(`b${n}`, 'b', 300))
  assert.deepEqual(taken, [true, true, true, true, true, false, false, false])
  assert.deepEqual(gone, ['a1', 'a2', 'a3', 'a4', 'a5'])
  assert.equal(take('lone', null, 300), true)
  assert.equal(places.size, 10)
})

test('a place that has been idle for long is for whoever comes', () => {
  const { places, gone, take } = setup(2)
  take('x', 'a', 0)
  take('y', 'a', 0)
  places.use('y', 50_000)
  assert.equal(take('z', 'a', 60_000), false)
  assert.equal(take('z', 'a', 61_001), true)
  assert.deepEqual([gone, places.has('y')], [['x'], true])
})
