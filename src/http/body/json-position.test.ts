import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { locateJsonFault } from './json-position.ts'

test('the first character that cannot be there is found', () => {
  const cases: readonly (readonly [string, number])[] = [
    ['', 0],
    ['nope', 0],
    ['{', 1],
    ['{"a" 1}', 5],
    ['{"a":}', 5],
    ['{"a":1,}', 7],
    ['{a:1}', 1],
    ['[1,]', 3],
    ['[1 2]', 3],
    ['[1}', 2],
    ['{"a":1]', 6],
    ['{} x', 3],
    ['01', 0],
    ['"a\nb"', 2],
    [String.raw`"a\xb"`, 2],
    ['"open', 5],
    ["{'a':1}", 1],
  ]
  for (const [text, position] of cases) assert.equal(locateJsonFault(text).position, position, text)
})

test('lines and columns are counted from 1', () => {
  assert.deepEqual(locateJsonFault('{\n  "a": 1,\n  b: 2\n}'), { position: 14, line: 3, column: 3, found: '"b"' })
})

test('whatever JSON.parse takes has no fault before its end', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      assert.equal(locateJsonFault(text).position, text.length)
    }),
  )
})

test('a fault put into JSON is found where it was put, or before', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), (text, seed) => {
      const at = seed % (text.length + 1)
      const broken = `${text.slice(0, at)}\u0001${text.slice(at)}`
      assert.throws(() => void JSON.parse(broken))
      assert.ok(locateJsonFault(broken).position <= at)
    }),
  )
})

test('a string of megabytes is no problem', () => {
  assert.equal(locateJsonFault(`"${'x'.repeat(5_000_000)}`).position, 5_000_001)
})
