import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isoText } from './iso-text.ts'

test('every instant is written as Date writes it, from year -271821 to 275760', () => {
  fc.assert(
    fc.property(fc.integer({ min: -8.64e15, max: 8.64e15 }), (at) =>
      assert.equal(isoText(at), new Date(at).toISOString()),
    ),
  )
})

test('more days than are remembered are written correctly too', () => {
  for (let day = 0; day < 2_500; day++)
    assert.equal(isoText(day * 86_400_000 + day), new Date(day * 86_400_000 + day).toISOString())
})
