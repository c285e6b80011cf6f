import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sameJson } from './json-equality.ts'
import type { JsonText } from './json-text.ts'

const same = (a: string | null, b: string | null) => sameJson(a as JsonText | null, b as JsonText | null)

test('what differs differs', () => {
  const scalars = ['null', '0', '"0"', '1', '-1', 'true', 'false', '1e400', '"1e400"']
  const texts = [...scalars, '[]', '{}', '[1,2]', '[2,1]', '{"a":1}', '{"b":1}', '{"a":{"b":1}}', '[[]]']
  for (const [i, a] of texts.entries()) for (const b of texts.slice(i + 1)) assert.equal(same(a, b), false, `${a} ${b}`)
  assert.equal(same(null, 'null'), false)
})

test('integers that one double stands for are told apart', () => {
  assert.equal(same('9007199254740993', '9007199254740992'), false)
  assert.equal(same('[1e400]', '[1e401]'), false)
  assert.equal(same('1e-400', '0'), false)
  assert.equal(same(`1e${'9'.repeat(30)}`, `1e${'9'.repeat(31)}`), false)
})

test('order of keys, spaces and spelling do not matter', () => {
  assert.equal(
    same('{"a":1,"b":[true,{"c":null,"d":"x"}]}', '{ "b" : [ true, { "d":"\\u0078", "c":null } ], "a":1.0 }'),
    true,
  )
  const pairs = ['1.50e3 1500', '1e400 10E+399', '-0 0.0e5', '100000000000000000000 1e20', '0.00000000000000001 1e-17']
  for (const [a, b] of pairs.map((pair) => pair.split(' '))) {
    assert.equal(same(a!, b!), true, `${a} ${b}`)
    assert.equal(same(`{"n":${a}}`, `{"n":${b}}`), true)
  }
})

test('any value is the same as itself in another order of keys, and not the same as one with another number in it', () => {
  const reversed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(reversed)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value)
        .toReversed()
        .map(([key, child]) => [key, reversed(child)]),
    )
  }
  fc.assert(
    fc.property(fc.jsonValue(), fc.bigInt(), (value, n) => {
      const text = JSON.stringify(value)
      assert.ok(same(`{"v":${text},"n":${n}}`, `{"n":${n},"v":${JSON.stringify(reversed(value), null, 1)}}`))
      assert.ok(!same(`[${text},${n}]`, `[${text},${n + 1n}]`))
    }),
  )
})
