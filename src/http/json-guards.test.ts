import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sameJson } from '../core/json-equality.ts'
import type { JsonText } from '../core/timer.ts'
import { forbiddenKey, surveyJson } from './json-guards.ts'

const bytes = (text: string) => Buffer.from(text)
const isDeeperThan = (json: Uint8Array, depthMax: number) => surveyJson(json, depthMax).isTooDeep
const isDelicate = (text: string) => surveyJson(bytes(text), 64).hasDelicateNumbers
const nested = (depth: number) => `${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`

test('one level more than the limit is too deep, the limit is not', () => {
  assert.equal(isDeeperThan(bytes(nested(66)), 64), true)
  assert.equal(isDeeperThan(bytes(nested(64)), 64), false)
})

test('brackets in strings do not count', () => {
  assert.equal(isDeeperThan(bytes(JSON.stringify({ a: '[{'.repeat(100), 'b"\\[': `\\"${'['.repeat(100)}` })), 64), false)
  assert.equal(isDeeperThan(bytes(`["\\\\",${'['.repeat(100)}`), 64), true)
})

test('the depth of any JSON is judged as a walk over its value would', () => {
  const depthOf = (value: unknown): number =>
    typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 0, max: 6 }), (value, max) => {
      assert.equal(isDeeperThan(bytes(JSON.stringify(value)), max), depthOf(value) > max)
    }),
  )
})

test('a number that a double would change is noticed, whatever it looks like', () => {
  for (const number of ['9007199254740993', '-0', '-0.0', '1e400', '1E-400', '0.1234567890123456', '1.5e3', '123456789.12345678']) {
    for (const text of [number, `[${number}]`, `{"a":${number}}`, `[1, ${number} ,2]`]) assert.equal(isDelicate(text), true, text)
  }
  assert.equal(isDelicate('{"a":[0,1,-12,100000000000000,0.25,true,false,null],"9007199254740993":"1e400, 12345678901234567890"}'), false)
})

test('any number that is not noticed survives parsing and writing', () => {
  const digits = fc.stringMatching(/^-?(?:0|[1-9]\d{0,20})(?:\.\d{1,20})?(?:[eE][+-]?\d{1,4})?$/)
  const sameDecimal = (a: string, b: string) => sameJson(a as JsonText, b as JsonText)
  fc.assert(fc.property(digits, (number) => isDelicate(number) || sameDecimal(JSON.stringify(JSON.parse(number)), number)))
})

test('poisonous keys are found at any depth and in any spelling, and their names as values are harmless', () => {
  const find = (text: string) => forbiddenKey(JSON.parse(text), text)
  assert.equal(find('{"a":[{"__proto__":1}]}'), 'a.0.__proto__')
  assert.equal(find(String.raw`{"\u005f\u005fproto__":1}`), '__proto__')
  assert.equal(find('{"x":{"constructor":{"prototype":{}}}}'), 'x.constructor.prototype')
  assert.equal(find('{"constructor":"me","a":"__proto__"}'), null)
  assert.ok(find(`{"${'k'.repeat(5_000)}":{"__proto__":1}}`)!.length < 300)
})
